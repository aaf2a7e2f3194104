import { type KeyObject, sign, verify } from 'node:crypto'
import { ISSUER_SIGNATURE_ALGORITHM } from './build-certificate.ts'
import { joinCertificate } from './build-tbs-certificate.ts'
import type { IssuerFacts } from './certificate-plan.ts'
import { type ParsedCertificate, parseCertificate } from './parse-certificate.ts'

/** ECDSA over P-256 with SHA-256, answered in DER: a private key in this process, or a service that keeps one. */
export type SignBytes = (bytes: Buffer) => Buffer | Promise<Buffer>

/** Signs with a P-256 private key; a TypeError for any other key. In place: to hand the bytes to another thread takes as long. */
export function createSigner(privateKey: KeyObject): SignBytes {
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new TypeError('an issuer signs with a P-256 private key')
  }
  return (bytes) => sign('sha256', bytes, privateKey)
}

/**
 * Sign: puts the issuer's signature under checked bytes and reads the certificate back before it leaves. Throws a plain
 * Error when what comes back is not what was checked, or does not verify with the issuer's key.
 */
export async function signCertificate(tbs: Buffer, signBytes: SignBytes, issuerKey: KeyObject): Promise<Buffer> {
  const der = joinCertificate(tbs, ISSUER_SIGNATURE_ALGORITHM, await signBytes(tbs))
  const readBack = parseCertificate(der)
  if (!readBack.tbs.equals(tbs)) throw new Error('a signed certificate does not hold what was checked')
  if (!verify('sha256', readBack.tbs, issuerKey, readBack.signature)) {
    throw new Error('a signed certificate does not verify with the key of its issuer')
  }
  return der
}

/** Whether a certificate was signed by this issuer of ours, in the one way in which ours sign. */
export function isIssuedBy(
  { issuer, signatureAlgorithm, tbs, signature }: ParsedCertificate,
  { name, publicKey }: Pick<IssuerFacts, 'name' | 'publicKey'>,
): boolean {
  const isOurs = issuer.equals(name) && signatureAlgorithm.bytes.equals(ISSUER_SIGNATURE_ALGORITHM)
  return isOurs && verify('sha256', tbs, publicKey, signature)
}
