import type { Logger } from 'pino'
import type { EnrollmentEvent } from '../events/controller-event.ts'
import type { EventHub } from '../events/event-hub.ts'
import { identitySyncWarning } from '../events/identity-sync-event.ts'
import type { Metrics } from '../events/metrics/metrics.ts'
import type { ReportedRequest } from '../events/reported-request.ts'
import type { DecisionRecorder, RefusedEnrollment } from '../token/decision-recorder.ts'
import type { Enrolled, NotEnrolled } from './token-enrollment.ts'

interface EnrollmentReporterParts {
  readonly log: Logger
  readonly events: EventHub
  readonly decisions: Pick<DecisionRecorder, 'record'>
  readonly metrics: Pick<Metrics, 'enrollment'>
}

const NO_IDENTITY = {
  identity_id: '',
  identity_name: '',
  auth_policy_id: '',
  name_claims_selector: '',
  attribute_claims_selector: '',
  attributes: [],
} as const

/** Reports the result of every enrollment with a provider's token to the log, events, metrics and decisions. */
export class EnrollmentReporter {
  readonly #parts: EnrollmentReporterParts

  constructor(parts: EnrollmentReporterParts) {
    this.#parts = parts
  }

  /** The log and the event are the only record of the role attributes that the token set. */
  enrolled({ signer, settings, kind, identityId, certificate, warnings }: Enrolled, request: ReportedRequest): void {
    const { log, events, metrics } = this.#parts
    const event: EnrollmentEvent = {
      ...commonMembers(kind, signer.id, request),
      event_type: 'success',
      success: true,
      reason: '',
      identity_id: identityId,
      identity_name: settings.name,
      auth_policy_id: settings.authPolicyId,
      name_claims_selector: signer.enrollNameClaimsSelector,
      attribute_claims_selector: signer.enrollAttributeClaimsSelector ?? '',
      attributes: settings.attributes,
    }
    log.info({ enrollment: event, fingerprint: certificate?.fingerprint }, 'an identity has enrolled')
    metrics.enrollment(signer.id, 'success')
    events.publish(event)
    const by = { signerId: signer.id, identity: { id: identityId, name: settings.name } }
    for (const warning of warnings) events.publish(identitySyncWarning(warning, by))
  }

  refused(refused: RefusedEnrollment, { kind, signer }: NotEnrolled, request: ReportedRequest): void {
    const { events, decisions, metrics } = this.#parts
    decisions.record(refused)
    const { reason, identityId = '', remoteAddress } = refused
    metrics.enrollment(signer?.id ?? '', reason)
    events.publishSampled(
      {
        ...commonMembers(kind, signer?.id ?? '', request),
        ...NO_IDENTITY,
        event_type: 'fail',
        success: false,
        reason,
        identity_id: identityId,
      },
      remoteAddress,
    )
  }
}

function commonMembers(type: string, signerId: string, { id, remoteAddr }: ReportedRequest) {
  return {
    namespace: 'enrollment',
    type,
    external_jwt_signer_id: signerId,
    remote_address: remoteAddr,
    request_id: id,
  } as const
}
