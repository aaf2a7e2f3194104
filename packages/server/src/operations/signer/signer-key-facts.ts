import { fieldError, type SignerSettings } from '@countersign/core'
import type { SignerCertificateFacts, SignerCertificateOfSeveral, SignerKeyFacts } from '../../store/signer-row.ts'

/** The parsed and accepted certificates of a body, and its secret. Undefined members are not in the body. */
export interface GivenKeyFacts {
  /** Of `certPem`. */
  readonly certificate: SignerCertificateFacts | undefined
  /** Of `certPems`. */
  readonly certificates?: readonly SignerCertificateOfSeveral[] | undefined
  /** Sealed; null clears it. */
  readonly jwksAuthorization?: string | null | undefined
}

/** The key facts of a signer with these settings. A secret is for one endpoint: with another one, it must be given again. */
export function nextKeyFacts(
  settings: SignerSettings,
  given: GivenKeyFacts,
  current?: SignerKeyFacts & Pick<SignerSettings, 'jwksEndpoint'>,
): SignerKeyFacts {
  const { jwksEndpoint } = settings
  if (given.jwksAuthorization && jwksEndpoint === null) {
    throw fieldError('jwksAuthorization', 'jwksAuthorization needs jwksEndpoint', '')
  }
  const kept = current?.jwksEndpoint === jwksEndpoint ? current.jwksAuthorization : null
  return {
    certificate: settings.certPem === null ? null : (given.certificate ?? current?.certificate ?? null),
    certificates: settings.certPems === null ? [] : (given.certificates ?? current?.certificates ?? []),
    jwksAuthorization: given.jwksAuthorization === undefined ? kept : given.jwksAuthorization,
  }
}
