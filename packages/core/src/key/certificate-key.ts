import type { KeyObject } from 'node:crypto'
import { admitPublicKey } from './admit-public-key.ts'
import { buildSignerKey, type SignerKey } from './signer-key.ts'

export type CertificateKeyReading =
  | { readonly ok: true; readonly key: SignerKey }
  | { readonly ok: false; readonly reason: string }

/**
 * Builds the only key of a certificate signer. `kid` is the signer's `kid`, or the certificate's SHA-1 fingerprint in lower-case hex.
 * Outside the validity period the key verifies nothing. Returns a reason when the key is not admitted.
 */
export function buildCertificateKey(
  publicKey: KeyObject,
  kid: string,
  notBefore: Date,
  notAfter: Date,
): CertificateKeyReading {
  const admission = admitPublicKey(publicKey)
  if (!admission.ok) return admission
  return { ok: true, key: { ...buildSignerKey(kid, publicKey, admission.kind), notBefore, notAfter } }
}
