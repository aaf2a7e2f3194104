import type { JsonObject, JsonValue } from '../json/json-value.ts'
import type { CheckResult } from './check-result.ts'
import { PURPOSE_TIMES, type TokenPurpose } from './token-purpose.ts'
import { displayValue } from './verdict.ts'
import type { VerifySigner } from './verify-signer.ts'

/** 9999-12-31T23:59:59Z. A later value is not a date, and a token with it would never expire. */
const MAX_NUMERIC_DATE = 253_402_300_799
/** Tolerated on top of the clock skew, because many providers' clocks are slightly ahead. */
const ISSUED_AHEAD_SECONDS = 60

/** `exp` is required, except of security events. The token is valid while now < exp + clock skew. */
export function checkExpiry(
  { exp }: JsonObject,
  signer: VerifySigner,
  nowMs: number,
  purpose: TokenPurpose = 'login',
): CheckResult {
  const expected = () => `after ${instant(nowMs - signer.clockSkewSeconds * 1000)}`
  if (exp === undefined && !PURPOSE_TIMES[purpose].needsExpiry) return { expected, received: null }
  if (!isNumericDate(exp) || exp === 0)
    return { expected, received: () => displayValue(exp), refusal: 'expiry-unusable' }
  const isValid = nowMs < (exp + signer.clockSkewSeconds) * 1000
  return { expected, received: () => instant(exp * 1000), refusal: isValid ? undefined : 'token-expired' }
}

/** `nbf` is optional. When present: nbf <= now + clock skew. */
export function checkNotBefore({ nbf }: JsonObject, signer: VerifySigner, nowMs: number): CheckResult {
  const expected = () => `absent or not after ${instant(nowMs + signer.clockSkewSeconds * 1000)}`
  if (nbf === undefined) return { expected, received: null }
  if (!isNumericDate(nbf)) return { expected, received: () => displayValue(nbf), refusal: 'not-before-unusable' }
  const isValid = nbf * 1000 <= nowMs + signer.clockSkewSeconds * 1000
  return { expected, received: () => instant(nbf * 1000), refusal: isValid ? undefined : 'token-not-yet-valid' }
}

/**
 * `iat` is required when the signer limits the lifetime, and of tokens that are used once. When present, it must be at most a minute plus the
 * clock skew ahead of now, and not after `exp`.
 */
export function checkIssuedAt(
  { iat, exp }: JsonObject,
  signer: VerifySigner,
  nowMs: number,
  purpose: TokenPurpose = 'login',
): CheckResult {
  const { needsIssueTime, maxAgeSeconds } = PURPOSE_TIMES[purpose]
  const maxTokenAgeSeconds = purpose === 'login' ? signer.maxTokenAgeSeconds : undefined
  const latestMs = nowMs + (ISSUED_AHEAD_SECONDS + signer.clockSkewSeconds) * 1000
  const expected = () =>
    maxTokenAgeSeconds === undefined
      ? `absent or not after ${instant(latestMs)}`
      : `not after ${instant(latestMs)} and at most ${maxTokenAgeSeconds} s before the expiry`
  if (iat === undefined && maxTokenAgeSeconds === undefined && !needsIssueTime) return { expected, received: null }
  if (!isNumericDate(iat)) return { expected, received: () => displayValue(iat), refusal: 'issued-at-unusable' }
  const received = () => instant(iat * 1000)
  if (iat * 1000 > latestMs) return { expected, received, refusal: 'token-issued-in-future' }
  if (nowMs >= (iat + maxAgeSeconds + signer.clockSkewSeconds) * 1000) {
    return { expected: `at most ${maxAgeSeconds} s ago`, received, refusal: 'token-expired' }
  }
  const lifetime = typeof exp === 'number' ? exp - iat : Number.NaN
  if (lifetime < 0) return { expected, received, refusal: 'issued-at-unusable' }
  const tooLong = maxTokenAgeSeconds !== undefined && !(lifetime <= maxTokenAgeSeconds)
  return { expected, received, refusal: tooLong ? 'lifetime-too-long' : undefined }
}

/** The period in which the three time checks pass, for claims that have passed them once, in whole milliseconds. `untilMs` is exclusive. */
export function validityPeriod(claims: JsonObject, signer: VerifySigner): { fromMs: number; untilMs: number } {
  const { exp, nbf, iat } = claims
  const earliest = (date: JsonValue | undefined, ahead: number): number =>
    typeof date === 'number' ? Math.ceil((date - ahead - signer.clockSkewSeconds) * 1000) : Number.NEGATIVE_INFINITY
  return {
    fromMs: Math.max(earliest(nbf, 0), earliest(iat, ISSUED_AHEAD_SECONDS)),
    untilMs: typeof exp === 'number' ? Math.floor((exp + signer.clockSkewSeconds) * 1000) : Number.NEGATIVE_INFINITY,
  }
}

function isNumericDate(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_NUMERIC_DATE
}

const instant = (ms: number): string => new Date(ms).toISOString()
