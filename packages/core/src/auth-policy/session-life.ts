import type { AuthPolicySettings } from './auth-policy-settings.ts'

/** What decides when a session ends, besides the settings of the installation. */
export interface SessionFacts {
  readonly createdAt: number
  /** When the token that opened it expires; null for other methods. */
  readonly tokenExpiresAt: number | null
}

const MS_PER_MINUTE = 60_000

/** When a session ends in any case. `expiresAt` is that of its identity. Infinity when the policy and the identity set no end. */
export function sessionEnd(
  { session: { maxMinutes, endWithToken } }: Pick<AuthPolicySettings, 'session'>,
  { createdAt, tokenExpiresAt }: SessionFacts,
  { expiresAt }: { readonly expiresAt: number | null },
): number {
  return Math.min(
    maxMinutes === null ? Infinity : createdAt + maxMinutes * MS_PER_MINUTE,
    endWithToken && tokenExpiresAt !== null ? tokenExpiresAt : Infinity,
    expiresAt ?? Infinity,
  )
}

/** How long a session lasts without a request. `idleMs` is the setting of the installation, an upper bound. */
export function sessionIdleMs(
  { session: { idleMinutes } }: Pick<AuthPolicySettings, 'session'>,
  idleMs: number,
): number {
  return idleMinutes === null ? idleMs : Math.min(idleMs, idleMinutes * MS_PER_MINUTE)
}
