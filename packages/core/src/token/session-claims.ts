import { claimTextError } from '../claim/claim-text.ts'
import type { JsonObject, JsonValue } from '../json/json-value.ts'

/** The claims by which a provider identifies the login behind a token. Null where the token has none that is usable. */
export interface SessionClaims {
  readonly subject: string | null
  /** `sid`: the session at the provider. */
  readonly providerSessionId: string | null
  /** `acr`: the class of the login at the provider. */
  readonly acr: string | null
  /** `amr`: the methods of the login at the provider. */
  readonly amr: readonly string[] | null
  /** `auth_time` in milliseconds since 1970. */
  readonly authenticatedAt: number | null
}

/** OpenID Connect limits `sub` to 255 characters. Longer values would let a provider fill the store with sessions. */
const MAX_LENGTH = 512

/** Reads the claims of a verified token that its session rests on. */
export function readSessionClaims({ sub, sid, acr, amr, auth_time: authTime }: JsonObject): SessionClaims {
  return {
    subject: usableText(sub),
    providerSessionId: usableText(sid),
    acr: usableText(acr),
    amr: readMethods(amr),
    authenticatedAt: readInstant(authTime),
  }
}

function usableText(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && claimTextError(value, MAX_LENGTH) === undefined ? value : null
}

/** The time of a claim in seconds, in whole milliseconds: the store has no fractions. Null when it is unusable. */
export function readInstant(seconds: JsonValue | undefined): number | null {
  const ms = typeof seconds === 'number' ? Math.floor(seconds * 1000) : Number.NaN
  return Number.isSafeInteger(ms) ? ms : null
}

/** Some providers send a single method as text. */
function readMethods(amr: JsonValue | undefined): readonly string[] | null {
  const methods = typeof amr === 'string' ? [amr] : amr
  if (!Array.isArray(methods) || !methods.every((method) => typeof method === 'string')) return null
  if (methods.join().length > MAX_LENGTH) return null
  // PostgreSQL compares the elements as texts, and has no text with a NUL.
  const usable = methods.filter((method) => usableText(method) !== null)
  return usable.length === 0 && methods.length > 0 ? null : usable
}
