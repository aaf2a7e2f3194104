import type { AuthenticationEvent } from '../events/controller-event.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { Metrics } from '../events/metrics/metrics.ts'
import type { ReportedRequest } from '../events/reported-request.ts'
import { acceptedLoginEvent, requestMembers } from '../operations/api-session/accepted-login-event.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { DecisionRecorder, RefusedLogin } from '../token/decision-recorder.ts'

interface LoginReporterParts {
  readonly events: EventHub
  readonly decisions: Pick<DecisionRecorder, 'record'>
  readonly metrics: Pick<Metrics, 'login'>
}

/** Reports the result of every login, by any method, to events, metrics and decisions. */
export class LoginReporter {
  readonly #parts: LoginReporterParts

  constructor(parts: LoginReporterParts) {
    this.#parts = parts
  }

  accepted(session: LiveSession, request: ReportedRequest): void {
    const { events, metrics } = this.#parts
    const { login, isLoginRecorded } = session
    metrics.login(login.method, login.method === 'ext-jwt' ? login.signerId : '', 'success')
    events.publish(acceptedLoginEvent(session, request), { isRecorded: isLoginRecorded })
  }

  refused(refused: RefusedLogin, request: ReportedRequest): void {
    const { events, decisions, metrics } = this.#parts
    decisions.record(refused)
    const { method, reason, signerId = '', identityId = '', caId = '', remoteAddress, organizationId } = refused
    metrics.login(method, signerId, reason)
    events.publishSampled(
      {
        namespace: 'authentication',
        event_type: 'fail',
        type: method,
        authenticator_id: '',
        external_jwt_signer_id: '',
        ca_id: caId,
        // Several tokens can name several identities.
        identity_id: method === 'ext-jwt' ? '' : identityId,
        auth_policy_id: '',
        success: false,
        reason,
        ...requestMembers(request, false),
      },
      remoteAddress,
      organizationId,
    )
  }

  /** Reports a second factor in an existing session. `refused` is undefined when it was right. */
  factor(
    type: 'totp' | 'passkey',
    { identity, policy, ipAddress }: LiveSession,
    refused: RefusedLogin | undefined,
    request: ReportedRequest,
  ): void {
    const { events, decisions, metrics } = this.#parts
    if (refused) decisions.record(refused)
    const reason = refused?.reason
    metrics.login(type, '', reason ?? 'success')
    const event: AuthenticationEvent = {
      namespace: 'authentication',
      event_type: reason === undefined ? 'success' : 'fail',
      type,
      authenticator_id: '',
      external_jwt_signer_id: '',
      ca_id: '',
      identity_id: identity.id,
      auth_policy_id: policy.id,
      success: reason === undefined,
      reason: reason ?? '',
      ...requestMembers(request, false),
    }
    if (reason === undefined) events.publish(event)
    else events.publishSampled(event, ipAddress)
  }
}
