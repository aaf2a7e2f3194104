import type { StoredSigner } from '../../store/signer-row.ts'
import { NO_INSTANT, selfLink, timestamp } from '../pipeline/envelope.ts'

/** A signer in a list of the management API. Every member is always present. */
export function signerView(signer: StoredSigner, collection: string) {
  const { certificate } = signer
  return {
    _links: selfLink(collection, signer.id),
    id: signer.id,
    createdAt: timestamp(signer.createdAt),
    updatedAt: timestamp(signer.updatedAt),
    tags: signer.tags,
    name: signer.name,
    enabled: signer.enabled,
    issuer: signer.issuer,
    audience: signer.audience,
    jwksEndpoint: signer.jwksEndpoint,
    jwksCaPem: signer.jwksCaPem,
    certPem: signer.certPem,
    kid: signer.kid,
    fingerprint: certificate?.fingerprint ?? null,
    commonName: certificate?.commonName ?? '',
    notBefore: certificate ? timestamp(certificate.notBefore) : NO_INSTANT,
    notAfter: certificate ? timestamp(certificate.notAfter) : NO_INSTANT,
    claimsProperty: signer.claimsProperty,
    useExternalId: signer.useExternalId,
    externalAuthUrl: signer.externalAuthUrl,
    openIdConfigurationUrl: signer.openIdConfigurationUrl,
    clientId: signer.clientId,
    scopes: signer.scopes,
    targetToken: signer.targetToken,
    enrollToCertEnabled: signer.enrollToCertEnabled,
    enrollToTokenEnabled: signer.enrollToTokenEnabled,
    enrollAttributeClaimsSelector: signer.enrollAttributeClaimsSelector,
    enrollAuthPolicyId: signer.enrollAuthPolicyId,
    enrollNameClaimsSelector: signer.enrollNameClaimsSelector,
    clockSkewSeconds: signer.clockSkewSeconds,
    maxTokenAgeSeconds: signer.maxTokenAgeSeconds,
    requiredClaims: signer.requiredClaims,
  }
}
