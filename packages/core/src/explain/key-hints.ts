import type { JsonObject } from '../json/json-value.ts'
import { findKey, isStale, isWithinDates } from '../token/key-checks.ts'
import type { UnusedKey } from './explanation.ts'
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

const UNUSED_HINTS: Readonly<Record<UnusedKey, (kid: string, signer: string) => Parameters<typeof hint>>> = {
  'not-pinned': (kid, signer) => [
    'keys-not-pinned',
    `the key ${kid} of the signer ${signer} is not used, since its thumbprint is not in pinnedKeyThumbprints: compare it with the provider, and pin it if it is genuine`,
  ],
  unconfirmed: (kid, signer) => [
    'keys-unconfirmed',
    `the key ${kid} is in a key set that shares no key with the earlier one of the signer ${signer}, which requires continuity: compare its thumbprint with the provider, and confirm the keys if they are genuine`,
  ],
}

export function kidHints({ jws, keys, unusedKeys, signer }: HintSubject): Hint[] {
  const { kid } = jws.untrustedHeader
  const name = quoted(signer.name)
  const unused = typeof kid === 'string' ? unusedKeys?.get(kid) : undefined
  if (unused) return [hint(...UNUSED_HINTS[unused](quoted(kid ?? null), name))]
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
  if (isStale(key, nowMs)) {
    const text = `the pushed keys of the signer ${quoted(signer.name)} are stale since ${new Date(key.staleAtMs ?? 0).toISOString()}: push them again with "countersign signers push-keys", and see why the job that pushes them has stopped`
    return [hint('keys-stale', text)]
  }
  if (isWithinDates(key, nowMs)) return []
  const period = `from ${key.notBefore?.toISOString()} to ${key.notAfter?.toISOString()}`
  const text = `the certificate of the signer ${quoted(signer.name)} is valid ${period}, which is not now: PATCH certPem, or certPems, with a currently valid certificate`
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
  const text = `the key ${quoted(key.kid)} of the signer ${quoted(signer.name)} did not sign this token: if the token is unchanged, the signer has the keys of another provider, tenant or environment, so compare where its keys come from with the provider`
  return [hint('signature-invalid', text)]
}
