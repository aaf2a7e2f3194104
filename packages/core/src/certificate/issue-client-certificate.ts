import { createHash } from 'node:crypto'
import { buildSpiffeUri } from './alt-name.ts'
import { planCertificate } from './certificate-plan.ts'
import { type CertificateIssuer, issuePlanned } from './issue-certificate.ts'
import type { CsrKey } from './read-csr.ts'

/** For whom a client certificate is; nothing of it comes from the client but the key. */
export interface ClientCertificateRequest {
  readonly key: CsrKey
  readonly trustDomain: string
  readonly identityId: string
  /** What follows `identity/<id>` in the SPIFFE name. */
  readonly path?: readonly string[]
  readonly lifetimeMs: number
}

export interface ClientCertificate {
  readonly der: Buffer
  readonly commonName: string
  readonly notBefore: Date
  readonly notAfter: Date
}

/** RFC 5280 appendix A: ub-common-name. */
const MAX_COMMON_NAME = 64

/** Build, check, sign: a certificate with which an identity signs in. Throws a plain Error for any fault, all of them ours. */
export async function issueClientCertificate(
  { key, trustDomain, identityId, path = [], lifetimeMs }: ClientCertificateRequest,
  issuer: CertificateIssuer,
  now: Date,
): Promise<ClientCertificate> {
  const commonName = buildClientCommonName(identityId)
  const altNames = [buildSpiffeUri(trustDomain, 'identity', identityId, ...path)]
  const plan = planCertificate(
    { ...key, profile: 'client', subject: { commonName }, altNames, lifetimeMs },
    issuer.facts,
    now,
  )
  const der = await issuePlanned(plan, issuer.sign, now)
  return { der, commonName, notBefore: plan.notBefore, notAfter: plan.notAfter }
}

/** The id itself, or where it is too long for a certificate, the SHA-256 of it in hex. */
function buildClientCommonName(identityId: string): string {
  return identityId.length <= MAX_COMMON_NAME ? identityId : createHash('sha256').update(identityId).digest('hex')
}
