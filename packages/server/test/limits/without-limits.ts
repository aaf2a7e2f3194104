import { pino } from 'pino'
import { type AttemptLimits, createAttemptLimits } from '../../src/limits/attempt-limits.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { loadSettings } from '../../src/platform/settings/index.ts'

/** Limits that refuse nothing. */
export function withoutLimits(clock: Clock): AttemptLimits {
  const { limits } = loadSettings({ flags: {}, env: {} }).settings
  const none = { ...limits, addressBurst: 0, passwordBurst: 0, accountBurst: 0, signerBurst: 0 }
  return createAttemptLimits({ settings: { limits: none }, clock, log: pino({ enabled: false }) })
}
