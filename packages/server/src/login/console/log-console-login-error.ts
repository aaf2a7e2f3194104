import { TokenBuckets } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { ConsoleLoginError } from './console-login-error.ts'

/** Logs why a console login failed, without the stack: the cause is at the provider or in the browser. */
export type LogConsoleLoginError = (requestId: string, error: ConsoleLoginError) => void

/** Warnings per reason. Further errors are logged at `debug`, because anyone can cause any number of them. */
const WARNINGS = { burst: 20, perSecond: 0.2 }
const SLOTS = 64

export function createLogConsoleLoginError({ clock, log }: { clock: Clock; log: Logger }): LogConsoleLoginError {
  const warnings = new TokenBuckets(WARNINGS, SLOTS)
  return (requestId, { reason, message }) => {
    const level = warnings.take(reason, clock.now()) === 0 ? 'warn' : 'debug'
    log[level]({ requestId, reason, problem: message }, 'a console login failed')
  }
}
