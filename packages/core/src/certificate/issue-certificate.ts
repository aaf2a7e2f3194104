import { createPublicKey } from 'node:crypto'
import { buildCertificate } from './build-certificate.ts'
import { type CertificatePlan, type CertificateRequest, type IssuerFacts, planCertificate } from './certificate-plan.ts'
import { checkCertificate } from './check-certificate.ts'
import { parseCertificate } from './parse-certificate.ts'
import { type SignBytes, signCertificate } from './sign-certificate.ts'

/** A CA that can sign: its certificate in DER, what that says, and a way to its key. */
export interface CertificateIssuer {
  readonly certificate: Buffer
  readonly facts: IssuerFacts
  readonly sign: SignBytes
}

/** An issuer from its certificate in DER and a signer with the key that belongs to it. Throws DerError. */
export function createIssuer(certificate: Buffer, sign: SignBytes): CertificateIssuer {
  return { certificate, facts: readIssuerFacts(certificate), sign }
}

/** What the certificate of a CA of ours says about it. Throws DerError. */
export function readIssuerFacts(certificate: Buffer): IssuerFacts {
  const { subject, publicKeyInfo, notAfter } = parseCertificate(certificate)
  const publicKey = createPublicKey({ key: publicKeyInfo.bytes, format: 'der', type: 'spki' })
  return { name: subject, publicKey, publicKeyInfo: publicKeyInfo.bytes, notAfter }
}

/** Build, check, sign: a certificate in DER under an issuer of ours. Throws a plain Error for any fault, all of them ours. */
export async function issueCertificate(
  request: CertificateRequest,
  issuer: CertificateIssuer,
  now: Date,
): Promise<Buffer> {
  return issuePlanned(planCertificate(request, issuer.facts, now), issuer.sign, now)
}

/** Build, check, sign: a root, which is its own issuer. `sign` must use the private half of the request's key. */
export async function issueSelfSigned(request: CertificateRequest, sign: SignBytes, now: Date): Promise<Buffer> {
  return issuePlanned(planCertificate(request, undefined, now), sign, now)
}

/** Build, check, sign: what was planned and nothing else. */
export async function issuePlanned(plan: CertificatePlan, sign: SignBytes, now: Date): Promise<Buffer> {
  const tbs = buildCertificate(plan)
  checkCertificate(tbs, plan, now)
  return signCertificate(tbs, sign, plan.issuer?.publicKey ?? plan.publicKey)
}
