import { TokenBuckets } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { LoginProblem } from './login-problem.ts'

/** Logs why a login failed, without the stack: the cause is at the provider or in the browser. */
export type NoteLoginProblem = (requestId: string, problem: LoginProblem) => void

/** The warnings of each reason; further ones are logged at `debug`, since anyone can cause any number. */
const WARNINGS = { burst: 20, perSecond: 0.2 }
const SLOTS = 64

export function createNoteLoginProblem({ clock, log }: { clock: Clock; log: Logger }): NoteLoginProblem {
  const warnings = new TokenBuckets(WARNINGS, SLOTS)
  return (requestId, { reason, message }) => {
    const level = warnings.take(reason, clock.now()) === 0 ? 'warn' : 'debug'
    log[level]({ requestId, reason, problem: message }, 'a sign-in to the console came to nothing')
  }
}
