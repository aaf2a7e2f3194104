import { createHash } from 'node:crypto'
import { buildSpiffeUri } from './alt-name.ts'
import { planCertificate } from './certificate-plan.ts'
import { type CertificateIssuer, issuePlanned } from './issue-certificate.ts'
import type { CsrKey } from './read-csr.ts'

/** The content of a client certificate. Only the key comes from the client. */
export interface ClientCertificateRequest {
  readonly key: CsrKey
  readonly trustDomain: string
  readonly identityId: string
  /** The segments after `identity/<id>` in the SPIFFE id. */
  readonly path?: readonly string[]
  readonly lifetimeMs: number
  readonly revocationListUrl?: string
}

export interface ClientCertificate {
  readonly der: Buffer
  readonly commonName: string
  readonly notBefore: Date
  readonly notAfter: Date
}

/** RFC 5280 appendix A: ub-common-name. */
const MAX_COMMON_NAME = 64

/** Builds, checks and signs a certificate with which an identity logs in. Every thrown error is a bug, not a caller's mistake. */
export async function issueClientCertificate(
  { key, trustDomain, identityId, path = [], ...others }: ClientCertificateRequest,
  issuer: CertificateIssuer,
  now: Date,
): Promise<ClientCertificate> {
  const commonName = buildClientCommonName(identityId)
  const altNames = [buildSpiffeUri(trustDomain, 'identity', identityId, ...path)]
  const plan = planCertificate(
    { ...key, profile: 'client', subject: { commonName }, altNames, ...others },
    issuer.facts,
    now,
  )
  const der = await issuePlanned(plan, issuer.sign, now)
  return { der, commonName, notBefore: plan.notBefore, notAfter: plan.notAfter }
}

/** The id, or its SHA-256 in hex when it is too long for a certificate. */
function buildClientCommonName(identityId: string): string {
  return identityId.length <= MAX_COMMON_NAME ? identityId : createHash('sha256').update(identityId).digest('hex')
}
