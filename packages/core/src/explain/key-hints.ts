import type { JsonObject } from '../json/json-value.ts'
import { findKey, isWithinDates } from '../token/key-checks.ts'
import { type Hint, hint, quoted, quotedList } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'

/** Hints for algorithms that no signer accepts. With these, hints about the key are pointless. */
export function algorithmHints({ alg }: JsonObject): Hint[] {
  if (typeof alg !== 'string') return []
  if (alg.toLowerCase() === 'none') {
    const text = 'the token is not signed (alg is "none"): use a token that the provider has signed'
    return [hint('algorithm-none', text)]
  }
  if (!alg.startsWith('HS')) return []
  const text = `the token is signed with a shared secret (alg is ${quoted(alg)}), which is not supported: configure the provider to sign access tokens with RS256 or ES256`
  return [hint('algorithm-symmetric', text)]
}

export function kidHints({ jws, keys, signer }: HintSubject): Hint[] {
  const { kid } = jws.untrustedHeader
  const name = quoted(signer.name)
  if (keys.size === 0) {
    const text = `the signer ${name} has no keys, so it cannot verify tokens: see its keyStatus for the reason, and refresh its keys`
    return [hint('no-keys', text)]
  }
  const kids = quotedList([...keys.keys()])
  if (typeof kid !== 'string' || kid === '') {
    const text = `the token names no key: configure the provider to put "kid" into the header, one of ${kids} for the signer ${name}`
    return [hint('kid-missing', text)]
  }
  const text = `the token names the key ${quoted(kid)}, the signer ${name} has ${kids}: refresh the signer's keys if the provider has changed them, otherwise the token is from another provider, tenant or environment`
  return [hint('kid-unknown', text)]
}

export function keyHints({ jws, keys, signer, nowMs }: HintSubject): Hint[] {
  const { alg } = jws.untrustedHeader
  const key = findKey(jws.untrustedHeader, keys)
  if (!key) return []
  if (typeof alg !== 'string' || !key.algs.includes(alg)) {
    const text = `the token's alg is ${quoted(alg ?? null)}, the key ${quoted(key.kid)} of the signer ${quoted(signer.name)} is for ${key.algs.join(', ')}: configure the provider to sign with one of these`
    return [hint('algorithm-not-fitting', text)]
  }
  if (isWithinDates(key, nowMs)) return []
  const period = `from ${key.notBefore?.toISOString()} to ${key.notAfter?.toISOString()}`
  const text = `the certificate of the signer ${quoted(signer.name)} is valid ${period}, which is not now: PATCH certPem with a currently valid certificate`
  return [hint('certificate-not-valid-now', text)]
}

export function signatureHints({ jws, keys, signer }: HintSubject): Hint[] {
  const key = findKey(jws.untrustedHeader, keys)
  // A wrong algorithm makes the signature invalid, and has its own hint.
  if (!key?.algs.some((alg) => alg === jws.untrustedHeader.alg)) return []
  const { length } = jws.signature
  if (length < key.signatureBytes) {
    const text = `the signature has ${length} of ${key.signatureBytes} bytes, so the end of the token is missing: copy the whole token`
    return [hint('token-truncated', text)]
  }
  const text = `the key ${quoted(key.kid)} of the signer ${quoted(signer.name)} did not sign this token: if the token is unchanged, the signer has the keys of another provider, tenant or environment, so compare its jwksEndpoint or certPem with the provider`
  return [hint('signature-invalid', text)]
}
