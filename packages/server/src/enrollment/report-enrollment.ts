import type { Logger } from 'pino'
import type { EnrollmentEvent } from '../events/controller-event.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { Metrics } from '../events/metrics/metrics.ts'
import type { ReportedRequest } from '../events/reported-request.ts'
import type { DecisionRecorder, RefusedEnrollment } from '../token/decision-recorder.ts'
import type { Enrolled, EnrollmentRefusal } from './enroll-by-jwt.ts'

/** Every outcome of enrolling with a provider's token comes here, and from here to the log, events and decisions. */
export interface EnrollmentReporter {
  enrolled(enrolled: Enrolled, request: ReportedRequest): void
  refused(refused: RefusedEnrollment, refusal: EnrollmentRefusal, request: ReportedRequest): void
}

interface EnrollmentReporterParts {
  readonly log: Logger
  readonly events: EventHub
  readonly decisions: DecisionRecorder
  readonly metrics: Pick<Metrics, 'enrollment'>
}

const NOBODY = {
  identity_id: '',
  identity_name: '',
  auth_policy_id: '',
  name_claims_selector: '',
  attribute_claims_selector: '',
  attributes: [],
} as const

export function createEnrollmentReporter({
  log,
  events,
  decisions,
  metrics,
}: EnrollmentReporterParts): EnrollmentReporter {
  return {
    // Whom a signer's word has given what: the one record of attributes that no administrator gave.
    enrolled: ({ signer, settings, kind, identityId, certificate }, request) => {
      const event: EnrollmentEvent = {
        ...outcomeOf(kind, signer.id, request),
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
    },
    refused: (refused, { kind, signer }, request) => {
      decisions.record(refused)
      const { reason, identityId = '', remoteAddress } = refused
      metrics.enrollment(signer?.id ?? '', reason)
      events.publishSampled(
        {
          ...outcomeOf(kind, signer?.id ?? '', request),
          ...NOBODY,
          event_type: 'fail',
          success: false,
          reason,
          identity_id: identityId,
        },
        remoteAddress,
      )
    },
  }
}

function outcomeOf(type: string, signerId: string, { id, remoteAddr }: ReportedRequest) {
  return {
    namespace: 'enrollment',
    type,
    external_jwt_signer_id: signerId,
    remote_address: remoteAddr,
    request_id: id,
  } as const
}
