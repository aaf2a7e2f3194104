import type { AuthenticationEvent } from '../../events/controller-event.ts'
import type { ReportedRequest } from '../../events/reported-request.ts'
import type { LiveSession } from '../../session/live-sessions.ts'

/** The event of an accepted login. */
export function acceptedLoginEvent(
  { login, certificate, identity, policy, authenticatorId }: LiveSession,
  request: ReportedRequest,
): AuthenticationEvent {
  const signerId = login.method === 'ext-jwt' ? login.signerId : ''
  return {
    namespace: 'authentication',
    event_type: 'success',
    type: login.method,
    authenticator_id: signerId === '' ? authenticatorId : '',
    external_jwt_signer_id: signerId,
    ca_id: (login.method === 'cert' && login.caId) || '',
    identity_id: identity.id,
    auth_policy_id: policy.id,
    success: true,
    reason: '',
    ...requestMembers(request, certificate?.isChainImproper ?? false),
  }
}

export function requestMembers({ id, remoteAddr }: ReportedRequest, hasImproperChain: boolean) {
  return { remote_address: remoteAddr, improper_client_cert_chain: hasImproperChain, request_id: id }
}
