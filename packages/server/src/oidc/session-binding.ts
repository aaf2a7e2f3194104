import { AppError, newId, OAuthError } from '@countersign/core'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import type { IssuedForSession } from '../operations/api-session/issued-certificate.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientCertificates } from '../platform/keys/client-certificates.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { OidcLoginDetails } from '../store/oidc-login.ts'

interface SessionBindingParts {
  readonly clock: Clock
  readonly clientCertificates: Pick<ClientCertificates, 'issueForSession'>
  readonly limits: Pick<AttemptLimits, 'sessionCertificate'>
}

/** A new certificate, and the session that is bound to it. */
export interface SessionBinding {
  readonly certificate: IssuedForSession
  readonly details: OidcLoginDetails
  /** The leaf and the intermediates, PEM. */
  readonly chainPem: string
}

/**
 * Issues a certificate for the connections of a session until the session ends. The session's tokens are then valid only with this certificate, or
 * with the one that logged in. Fails with invalid_request for a CSR that cannot be used, and with TooManyRequests
 * after too many certificates of the identity.
 */
export async function issueBinding(
  { clock, clientCertificates, limits }: SessionBindingParts,
  csrPem: string,
  { id: apiSessionId, identity, endsAt }: Pick<LiveSession, 'id' | 'identity' | 'endsAt'>,
  { csrPem: _, ...details }: OidcLoginDetails,
): Promise<SessionBinding> {
  // A thief of a session, who can ask for its certificates, does not use up those of logins.
  limits.sessionCertificate.begin(`${identity.id} oidc`)
  const id = newId()
  const of = { identityId: identity.id, apiSessionId, certificateId: id, lifetimeMs: endsAt - clock.now() }
  const issued = await clientCertificates.issueForSession(csrPem, of).catch(refuseCsr)
  const { chainPem, caPem: _ca, ...certificate } = issued
  const { loginFingerprint } = details
  const fingerprints = [...(loginFingerprint === undefined ? [] : [loginFingerprint]), issued.fingerprint]
  return { certificate: { id, apiSessionId, ...certificate }, details: { ...details, fingerprints }, chainPem }
}

function refuseCsr(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'COULD_NOT_PROCESS_CSR') throw error
  const { publicCause } = error
  const reason = publicCause && 'message' in publicCause ? publicCause.message : 'it cannot be processed'
  throw new OAuthError('invalid_request', `invalid CSR: ${reason}`)
}
