import {
  buildAuthorityKeyIdentifier,
  buildBasicConstraints,
  buildDistributionPoint,
  buildExtendedKeyUsage,
  buildKeyUsage,
  buildSubjectAltNames,
  buildSubjectKeyIdentifier,
} from './build-extensions.ts'
import { buildTbsCertificate } from './build-tbs-certificate.ts'
import type { CertificatePlan } from './certificate-plan.ts'
import { CERTIFICATE_PROFILES, type CertificateProfile, keyUsageFor } from './certificate-profiles.ts'
import { oid, sequence } from './der-writer.ts'
import { buildName } from './distinguished-name.ts'
import { OID } from './object-identifiers.ts'

/** The only algorithm that our issuers sign with; they have P-256 keys. */
export const ISSUER_SIGNATURE_ALGORITHM = sequence(oid(OID.ecdsaWithSha256))

/** Builds the bytes to sign from the plan. Pass them to `checkCertificate` before signing. */
export function buildCertificate(plan: CertificatePlan): Buffer {
  const profile: CertificateProfile = CERTIFICATE_PROFILES[plan.profile]
  const subject = buildName(plan.subject)
  return buildTbsCertificate({
    serial: plan.serial,
    signatureAlgorithm: ISSUER_SIGNATURE_ALGORITHM,
    issuer: plan.issuer?.name ?? subject,
    notBefore: plan.notBefore,
    notAfter: plan.notAfter,
    subject,
    publicKeyInfo: plan.publicKeyInfo,
    extensions: [
      buildBasicConstraints(profile),
      buildKeyUsage(keyUsageFor(profile, plan.publicKey)),
      ...(profile.extendedKeyUsage.length > 0 ? [buildExtendedKeyUsage(profile)] : []),
      buildSubjectKeyIdentifier(plan.publicKeyInfo),
      buildAuthorityKeyIdentifier(plan.issuer?.publicKeyInfo ?? plan.publicKeyInfo),
      ...(plan.altNames.length > 0 ? [buildSubjectAltNames(plan.altNames)] : []),
      ...(plan.revocationListUrl === undefined ? [] : [buildDistributionPoint(plan.revocationListUrl)]),
    ],
  })
}
