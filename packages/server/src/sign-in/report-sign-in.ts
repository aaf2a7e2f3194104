import type { LiveSession } from '../api-session/live-sessions.ts'
import type { AuthenticationEvent } from '../events/controller-event.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { DecisionRecorder, RefusedSignIn } from './decision-recorder.ts'

/** What is told of the request beside its outcome. */
export interface SignInRequest {
  readonly id: string
  /** With the port, where it is known. */
  readonly remoteAddr: string
}

/** Every outcome of signing in comes here, whatever the method, and from here to events, metrics and decisions. */
export interface SignInReporter {
  accepted(session: LiveSession, request: SignInRequest): void
  refused(refused: RefusedSignIn, request: SignInRequest): void
}

const TYPES = { updb: 'password', cert: 'cert', 'ext-jwt': 'ext-jwt', 'api-account': 'api-account' } as const

export function createSignInReporter({
  events,
  decisions,
}: {
  events: EventHub
  decisions: DecisionRecorder
}): SignInReporter {
  return {
    accepted: ({ way, certificate, identity, policy, authenticatorId }, request) => {
      const signerId = way.method === 'ext-jwt' ? way.signerId : ''
      events.publish({
        ...outcomeOf(request, TYPES[way.method]),
        improper_client_cert_chain: certificate?.isChainImproper ?? false,
        event_type: 'success',
        success: true,
        reason: '',
        authenticator_id: signerId === '' ? authenticatorId : '',
        external_jwt_signer_id: signerId,
        identity_id: identity.id,
        auth_policy_id: policy.id,
      })
    },
    refused: (refused, request) => {
      decisions.record(refused)
      const { method, reason, identityId = '', remoteAddress } = refused
      events.publishSampled(
        {
          ...outcomeOf(request, method),
          event_type: 'fail',
          success: false,
          reason,
          authenticator_id: '',
          external_jwt_signer_id: '',
          // Of several tokens each may stand for somebody else.
          identity_id: method === 'ext-jwt' ? '' : identityId,
          auth_policy_id: '',
        },
        remoteAddress,
      )
    },
  }
}

function outcomeOf({ id, remoteAddr }: SignInRequest, type: AuthenticationEvent['type']) {
  return {
    namespace: 'authentication',
    type,
    remote_address: remoteAddr,
    improper_client_cert_chain: false,
    request_id: id,
  } as const
}
