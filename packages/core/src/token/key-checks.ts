import type { JsonObject } from '../json/json-value.ts'
import type { SignerKey, SignerKeys } from '../key/signer-key.ts'
import type { CheckResult } from './check-result.ts'
import { displayValue, type VerifiedToken } from './verdict.ts'

const MAX_LISTED_KIDS = 10

/** The signer's key that the header names by `kid`. A token must name its key, even when the signer has only one. */
export function findKey({ kid }: JsonObject, keys: SignerKeys): SignerKey | undefined {
  return typeof kid === 'string' && kid !== '' ? keys.get(kid) : undefined
}

export function checkKid({ kid }: JsonObject, keys: SignerKeys): CheckResult {
  const named = typeof kid === 'string' && kid !== ''
  if (named && keys.has(kid)) return { expected: kid, received: kid }
  return { expected: kidList(keys), received: () => displayValue(kid), refusal: named ? 'kid-unknown' : 'kid-missing' }
}

/** The key decides which algorithms it allows, never the token. A certificate's key is valid within the certificate's dates. */
export function checkKey({ alg }: JsonObject, key: SignerKey, nowMs: number): CheckResult {
  const algorithms = () => key.algs.join(', ')
  if (typeof alg !== 'string' || !key.algs.includes(alg)) {
    return { expected: algorithms, received: () => displayValue(alg), refusal: 'algorithm-not-allowed' }
  }
  if (isStale(key, nowMs)) {
    const expected = `a key that is not stale at ${new Date(nowMs).toISOString()}`
    return { expected, received: `stale since ${new Date(key.staleAtMs ?? 0).toISOString()}`, refusal: 'keys-stale' }
  }
  if (isWithinDates(key, nowMs)) return { expected: algorithms, received: alg }
  const expected = `a certificate valid at ${new Date(nowMs).toISOString()}`
  const received = `valid from ${key.notBefore?.toISOString()} to ${key.notAfter?.toISOString()}`
  return { expected, received, refusal: 'certificate-not-valid-now' }
}

/** Whether a pushed key is older than its signer allows. */
export function isStale({ staleAtMs }: SignerKey, nowMs: number): boolean {
  return staleAtMs !== undefined && nowMs >= staleAtMs
}

/** Both ends are inclusive (RFC 5280 section 4.1.2.5). */
export function isWithinDates({ notBefore, notAfter }: SignerKey, nowMs: number): boolean {
  return (!notBefore || nowMs >= notBefore.getTime()) && (!notAfter || nowMs <= notAfter.getTime())
}

/** Whether these keys still have the one that has verified a token, and it is usable. */
export function isVerifyingKeyUsable(
  { kid, alg, keyThumbprint }: Pick<VerifiedToken, 'kid' | 'alg' | 'keyThumbprint'>,
  keys: SignerKeys,
  nowMs: number,
): boolean {
  const key = keys.get(kid)
  if (key?.thumbprint !== keyThumbprint || !key.algs.includes(alg)) return false
  return isWithinDates(key, nowMs) && !isStale(key, nowMs)
}

function kidList(keys: SignerKeys): string {
  if (keys.size === 0) return 'a key of the signer, which has none'
  const kids = [...keys.keys()].slice(0, MAX_LISTED_KIDS).map((kid) => displayValue(kid))
  return `one of ${kids.join(', ')}${keys.size > MAX_LISTED_KIDS ? ', …' : ''}`
}
