import type { JsonObject } from '../json/json-value.ts'
import type { SignerKey, SignerKeys } from '../key/signer-key.ts'
import type { CheckOutcome } from './check-outcome.ts'
import { shown } from './verdict.ts'

const MAX_SHOWN_KIDS = 10

/** The key that the header names among the signer's own. A token must name one, even when there is no choice. */
export function findKey({ kid }: JsonObject, keys: SignerKeys): SignerKey | undefined {
  return typeof kid === 'string' && kid !== '' ? keys.get(kid) : undefined
}

export function checkKid({ kid }: JsonObject, keys: SignerKeys): CheckOutcome {
  const named = typeof kid === 'string' && kid !== ''
  if (named && keys.has(kid)) return { expected: kid, received: kid }
  return { expected: kidList(keys), received: () => shown(kid), refusal: named ? 'kid-unknown' : 'kid-missing' }
}

/** The key says what it may be used with, never the token; a key from a certificate is good within the certificate's dates. */
export function checkKey({ alg }: JsonObject, key: SignerKey, nowMs: number): CheckOutcome {
  const algorithms = () => key.algs.join(', ')
  if (typeof alg !== 'string' || !key.algs.includes(alg)) {
    return { expected: algorithms, received: () => shown(alg), refusal: 'algorithm-not-allowed' }
  }
  if (isWithinDates(key, nowMs)) return { expected: algorithms, received: alg }
  const expected = `a certificate valid at ${new Date(nowMs).toISOString()}`
  const received = `valid from ${key.notBefore?.toISOString()} to ${key.notAfter?.toISOString()}`
  return { expected, received, refusal: 'certificate-not-valid-now' }
}

/** Both ends belong to the period (RFC 5280 section 4.1.2.5). */
export function isWithinDates({ notBefore, notAfter }: SignerKey, nowMs: number): boolean {
  return (!notBefore || nowMs >= notBefore.getTime()) && (!notAfter || nowMs <= notAfter.getTime())
}

function kidList(keys: SignerKeys): string {
  if (keys.size === 0) return 'a key of the signer, which has none'
  const kids = [...keys.keys()].slice(0, MAX_SHOWN_KIDS).map((kid) => shown(kid))
  return `one of ${kids.join(', ')}${keys.size > MAX_SHOWN_KIDS ? ', …' : ''}`
}
