import { createPublicKey } from 'node:crypto'
import { buildCertificate } from './build-certificate.ts'
import { type CertificatePlan, type CertificateRequest, type IssuerFacts, planCertificate } from './certificate-plan.ts'
import { checkCertificate } from './check-certificate.ts'
import { parseCertificate } from './parse-certificate.ts'
import { type SignBytes, signCertificate } from './sign-certificate.ts'

/** A CA that can sign: its certificate in DER, the parsed content, and a function that signs with its key. */
export interface CertificateIssuer {
  readonly certificate: Buffer
  readonly facts: IssuerFacts
  readonly sign: SignBytes
}

/** Creates an issuer from its certificate in DER. `sign` must use the certificate's key. Throws DerError. */
export function createIssuer(certificate: Buffer, sign: SignBytes): CertificateIssuer {
  return { certificate, facts: readIssuerFacts(certificate), sign }
}

/** Parses the certificate of a CA. Throws DerError. */
export function readIssuerFacts(certificate: Buffer): IssuerFacts {
  const { subject, publicKeyInfo, notAfter } = parseCertificate(certificate)
  const publicKey = createPublicKey({ key: publicKeyInfo.bytes, format: 'der', type: 'spki' })
  return { name: subject, publicKey, publicKeyInfo: publicKeyInfo.bytes, notAfter }
}

/** Builds, checks and signs a certificate. Returns it in DER. Every thrown error is a bug, not a caller's mistake. */
export async function issueCertificate(
  request: CertificateRequest,
  issuer: CertificateIssuer,
  now: Date,
): Promise<Buffer> {
  return issuePlanned(planCertificate(request, issuer.facts, now), issuer.sign, now)
}

/** Builds, checks and signs a self-signed root. `sign` must use the private key of the request's public key. */
export async function issueSelfSigned(request: CertificateRequest, sign: SignBytes, now: Date): Promise<Buffer> {
  return issuePlanned(planCertificate(request, undefined, now), sign, now)
}

/** Builds, checks and signs a planned certificate. */
export async function issuePlanned(plan: CertificatePlan, sign: SignBytes, now: Date): Promise<Buffer> {
  const tbs = buildCertificate(plan)
  checkCertificate(tbs, plan, now)
  return signCertificate(tbs, sign, plan.issuer?.publicKey ?? plan.publicKey)
}
