import { readClaims } from '../token/base64.ts'
import type { AccessToken } from '../token/request-token.ts'
import { isFresh } from '../token/token-source.ts'

/** Returns the current access token. Called for each call, and with the refused token after a 401. */
export type AccessTokenSupplier = (refused?: string) => string | Promise<string>

const MS_PER_SECOND = 1000

/** The lifetime of a JWT that was first seen at `seenAt`, by its claims; undefined for other tokens. They are not verified: the server is. */
export function lifetimeOf(token: string, seenAt: number): AccessToken | undefined {
  const { exp, iat } = readClaims(token) ?? {}
  if (typeof exp !== 'number') return undefined
  const obtainedAt = typeof iat === 'number' ? Math.min(iat * MS_PER_SECOND, seenAt) : seenAt
  return { token, obtainedAt, expiresInSeconds: exp - obtainedAt / MS_PER_SECOND }
}

/**
 * Keeps a token until 80 % of its lifetime have passed, or until it is refused. Concurrent calls share one `load`. A token without `exp` is
 * kept until it is refused.
 */
export function cachedSupply(load: () => Promise<string>, now: () => number = Date.now): AccessTokenSupplier {
  let current: { readonly token: string; readonly life: AccessToken | undefined } | undefined
  let pending: Promise<string> | undefined
  const obtain = async (): Promise<string> => {
    const token = await load()
    current = { token, life: lifetimeOf(token, now()) }
    return token
  }
  return (refused) => {
    const isUsable = current && current.token !== refused && (!current.life || isFresh(current.life, now()))
    if (isUsable && current) return current.token
    pending ??= obtain().finally(() => {
      pending = undefined
    })
    return pending
  }
}
