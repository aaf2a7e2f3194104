import type { JsonValue } from '../json/json-value.ts'
import { type Hint, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'

const MAX_CLOCK_SKEW_SECONDS = 60
/** Smaller differences are more likely caused by a wrong clock than by an old token. */
const CLOCK_ERROR_SECONDS = 300
const ISSUED_AHEAD_SECONDS = 60
/** As seconds this is the year 5138, as milliseconds 1973. */
const LEAST_IN_MILLISECONDS = 100_000_000_000

export function expiryHints({ jws, signer, nowMs }: HintSubject): Hint[] {
  const { exp } = jws.untrustedClaims
  if (isInMilliseconds(exp)) {
    const text = `the token's exp is ${quoted(exp)}, which looks like milliseconds: configure the provider to use seconds`
    return [hint('expiry-in-milliseconds', text)]
  }
  if (typeof exp !== 'number' || exp <= 0) {
    const received = exp === undefined ? 'the token has no exp' : `the token's exp is ${quoted(exp)}`
    return [hint('expiry-unusable', `${received}: configure the provider to set the expiry, in seconds since 1970`)]
  }
  const late = Math.max(0, nowMs / 1000 - exp)
  if (late > CLOCK_ERROR_SECONDS) {
    const text = `the token expired at ${instant(exp)}, ${duration(late)} ago: get a new one`
    return [hint('expired-long-ago', text)]
  }
  // The token is valid while now < exp + skew, so it is already expired in the second of exp.
  const advice = clockAdvice(Math.floor(late) + 1, signer.clockSkewSeconds)
  return [hint('expired-just-now', `the token expired ${duration(late)} ago: get a new one; ${advice}`)]
}

export function notBeforeHints({ jws, signer, nowMs }: HintSubject): Hint[] {
  const { nbf } = jws.untrustedClaims
  if (typeof nbf !== 'number' || nbf < 0 || isInMilliseconds(nbf)) {
    const text = `the token's nbf is ${quoted(nbf ?? null)}: configure the provider to omit it or to use seconds since 1970`
    return [hint('not-before-unusable', text)]
  }
  const ahead = nbf - nowMs / 1000
  const advice = clockAdvice(Math.ceil(ahead), signer.clockSkewSeconds)
  const text = `the token is not valid before ${instant(nbf)}, ${duration(ahead)} from now (nbf): wait, or ${advice}`
  return [hint('not-yet-valid', text)]
}

export function issuedAtHints({ jws, signer, nowMs }: HintSubject): Hint[] {
  const { iat, exp } = jws.untrustedClaims
  const { maxTokenAgeSeconds, clockSkewSeconds } = signer
  if (typeof iat !== 'number' || iat < 0 || isInMilliseconds(iat)) {
    const received = iat === undefined ? 'the token has no iat' : `the token's iat is ${quoted(iat)}`
    const why = maxTokenAgeSeconds === null ? '' : ', which maxTokenAgeSeconds of the signer needs'
    const text = `${received}${why}: configure the provider to set the time of issue, in seconds since 1970`
    return [hint('issued-at-unusable', text)]
  }
  const ahead = iat - nowMs / 1000
  if (ahead > ISSUED_AHEAD_SECONDS + clockSkewSeconds) {
    const advice = clockAdvice(Math.ceil(ahead) - ISSUED_AHEAD_SECONDS, clockSkewSeconds)
    return [hint('issued-in-future', `the token was issued ${duration(ahead)} from now (iat): ${advice}`)]
  }
  const lifetime = typeof exp === 'number' ? exp - iat : Number.NaN
  if (maxTokenAgeSeconds !== null && lifetime > maxTokenAgeSeconds) {
    const text = `the token is valid for ${lifetime} s, the signer ${quoted(signer.name)} allows ${maxTokenAgeSeconds} s: configure a shorter lifetime at the provider, or raise maxTokenAgeSeconds`
    return [hint('lifetime-too-long', text)]
  }
  const text = `the token's iat is not before its exp: configure the provider to set the time of issue, in seconds since 1970`
  return [hint('issued-at-unusable', text)]
}

/** `needed` is the smallest clock skew, in seconds, with which the token is valid. */
function clockAdvice(needed: number, current: number): string {
  const compare = "compare the provider's clock with this server's"
  if (needed > MAX_CLOCK_SKEW_SECONDS) return compare
  return `${compare}, or set clockSkewSeconds of the signer, now ${current}, to at least ${needed}`
}

function isInMilliseconds(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && value >= LEAST_IN_MILLISECONDS
}

const instant = (seconds: number): string => new Date(seconds * 1000).toISOString()

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'days'],
  [3600, 'hours'],
  [60, 'minutes'],
]

/** Formats in the largest unit of which there are at least two. */
function duration(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds >= 2 * unit) ?? [1, 'seconds']
  return `${Math.round(seconds / size)} ${name}`
}
