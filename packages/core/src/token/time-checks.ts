import type { JsonObject, JsonValue } from '../json/json-value.ts'
import type { CheckOutcome } from './check-outcome.ts'
import { shown } from './verdict.ts'
import type { VerifySigner } from './verify-signer.ts'

/** 9999-12-31T23:59:59Z: a later "date" is no date, and a token with it would never end. */
const MAX_NUMERIC_DATE = 253_402_300_799
/** Providers whose clock is a little ahead are common. */
const ISSUED_AHEAD_SECONDS = 60

/** `exp` is required: the token is good while now < exp + clock skew. */
export function checkExpiry({ exp }: JsonObject, signer: VerifySigner, nowMs: number): CheckOutcome {
  const expected = () => `after ${instant(nowMs - signer.clockSkewSeconds * 1000)}`
  if (!isNumericDate(exp) || exp === 0) return { expected, received: () => shown(exp), refusal: 'expiry-unusable' }
  const good = nowMs < (exp + signer.clockSkewSeconds) * 1000
  return { expected, received: () => instant(exp * 1000), refusal: good ? undefined : 'token-expired' }
}

/** `nbf`, where present: nbf <= now + clock skew. */
export function checkNotBefore({ nbf }: JsonObject, signer: VerifySigner, nowMs: number): CheckOutcome {
  const expected = () => `absent or not after ${instant(nowMs + signer.clockSkewSeconds * 1000)}`
  if (nbf === undefined) return { expected, received: null }
  if (!isNumericDate(nbf)) return { expected, received: () => shown(nbf), refusal: 'not-before-unusable' }
  const good = nbf * 1000 <= nowMs + signer.clockSkewSeconds * 1000
  return { expected, received: () => instant(nbf * 1000), refusal: good ? undefined : 'token-not-yet-valid' }
}

/** `iat`, where present: not more than a minute + clock skew ahead, not after `exp`. It must be there when the signer limits the lifetime. */
export function checkIssuedAt({ iat, exp }: JsonObject, signer: VerifySigner, nowMs: number): CheckOutcome {
  const { maxTokenAgeSeconds } = signer
  const latestMs = nowMs + (ISSUED_AHEAD_SECONDS + signer.clockSkewSeconds) * 1000
  const expected = () =>
    maxTokenAgeSeconds === undefined
      ? `absent or not after ${instant(latestMs)}`
      : `not after ${instant(latestMs)} and at most ${maxTokenAgeSeconds} s before the expiry`
  if (iat === undefined && maxTokenAgeSeconds === undefined) return { expected, received: null }
  if (!isNumericDate(iat)) return { expected, received: () => shown(iat), refusal: 'issued-at-unusable' }
  const received = () => instant(iat * 1000)
  if (iat * 1000 > latestMs) return { expected, received, refusal: 'token-issued-in-future' }
  const lifetime = typeof exp === 'number' ? exp - iat : Number.NaN
  if (lifetime < 0) return { expected, received, refusal: 'issued-at-unusable' }
  const tooLong = maxTokenAgeSeconds !== undefined && !(lifetime <= maxTokenAgeSeconds)
  return { expected, received, refusal: tooLong ? 'lifetime-too-long' : undefined }
}

/** From when until when (exclusive) the three checks above pass, for claims that have passed them once. */
export function periodOf(claims: JsonObject, signer: VerifySigner): { fromMs: number; untilMs: number } {
  const { exp, nbf, iat } = claims
  const earliest = (date: JsonValue | undefined, ahead: number): number =>
    typeof date === 'number' ? (date - ahead - signer.clockSkewSeconds) * 1000 : Number.NEGATIVE_INFINITY
  return {
    fromMs: Math.max(earliest(nbf, 0), earliest(iat, ISSUED_AHEAD_SECONDS)),
    untilMs: typeof exp === 'number' ? (exp + signer.clockSkewSeconds) * 1000 : Number.NEGATIVE_INFINITY,
  }
}

function isNumericDate(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_NUMERIC_DATE
}

const instant = (ms: number): string => new Date(ms).toISOString()
