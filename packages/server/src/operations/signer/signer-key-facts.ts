import { fieldError, isSameSetting, type SignerSettings } from '@countersign/core'
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

/** What a write starts from, and whether its actor is an administrator. */
interface WrittenFrom {
  readonly current: SignerKeyFacts & Pick<SignerSettings, 'jwksEndpoint' | 'jwksCaPem'>
  readonly isAdmin: boolean
}

/**
 * The key facts of a signer with these settings. A secret is for one endpoint: with another one, it must be given again. With another CA, too, unless the
 * writer is an administrator: the server of a caller who chooses the CA could pass for the endpoint.
 */
export function nextKeyFacts(settings: SignerSettings, given: GivenKeyFacts, from?: WrittenFrom): SignerKeyFacts {
  const { jwksEndpoint, jwksCaPem } = settings
  const current = from?.current
  if (given.jwksAuthorization && jwksEndpoint === null) {
    throw fieldError('jwksAuthorization', 'jwksAuthorization needs jwksEndpoint', '')
  }
  const isSameCa = from?.isAdmin || jwksCaPem === null || isSameSetting('jwksCaPem', current?.jwksCaPem, jwksCaPem)
  const kept = isSameCa && current?.jwksEndpoint === jwksEndpoint ? current.jwksAuthorization : null
  return {
    certificate: settings.certPem === null ? null : (given.certificate ?? current?.certificate ?? null),
    certificates: settings.certPems === null ? [] : (given.certificates ?? current?.certificates ?? []),
    jwksAuthorization: given.jwksAuthorization === undefined ? kept : given.jwksAuthorization,
  }
}
