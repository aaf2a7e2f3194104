import { type KeyObject, sign, verify } from 'node:crypto'
import { ISSUER_SIGNATURE_ALGORITHM } from './build-certificate.ts'
import { joinCertificate } from './build-tbs-certificate.ts'
import type { IssuerFacts } from './certificate-plan.ts'
import { type ParsedCertificate, parseCertificate } from './parse-certificate.ts'

/** Signs with ECDSA P-256 and SHA-256, in DER. The private key is in this process or in a key service. */
export type SignBytes = (bytes: Buffer) => Buffer | Promise<Buffer>

/** Signs with a P-256 private key on the calling thread, because handing over to another thread takes as long. Throws TypeError for other keys. */
export function createSigner(privateKey: KeyObject): SignBytes {
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new TypeError('the key of an issuer must be a P-256 private key')
  }
  return (bytes) => sign('sha256', bytes, privateKey)
}

/**
 * Signs checked bytes, then parses the certificate again to verify it. Throws a plain Error when its content is not the
 * checked bytes, or its signature does not verify with the issuer's key.
 */
export async function signCertificate(tbs: Buffer, signBytes: SignBytes, issuerKey: KeyObject): Promise<Buffer> {
  const der = joinCertificate(tbs, ISSUER_SIGNATURE_ALGORITHM, await signBytes(tbs))
  const readBack = parseCertificate(der)
  if (!readBack.tbs.equals(tbs)) throw new Error('the signed certificate does not contain the checked bytes')
  if (!verify('sha256', readBack.tbs, issuerKey, readBack.signature)) {
    throw new Error('the signed certificate does not verify with the key of its issuer')
  }
  return der
}

/** Whether a certificate was signed by this issuer, with the algorithm that our issuers use. */
export function isIssuedBy(
  { issuer, signatureAlgorithm, tbs, signature }: ParsedCertificate,
  { name, publicKey }: Pick<IssuerFacts, 'name' | 'publicKey'>,
): boolean {
  const isOurs = issuer.equals(name) && signatureAlgorithm.bytes.equals(ISSUER_SIGNATURE_ALGORITHM)
  return isOurs && verify('sha256', tbs, publicKey, signature)
}
