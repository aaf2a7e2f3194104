import { describeCause } from '@countersign/core'
import type { ProviderCause } from '../store/change.ts'
import type { ApiSessionEvent } from './controller-event.ts'

interface ReportedSession {
  readonly id: string
  readonly identityId: string
  readonly ipAddress: string
  readonly isOidc?: boolean | undefined
  /** The message of an identity provider that ended it. */
  readonly cause?: ProviderCause
}

/** A session was created or ended, or is used from a new address or program, so that its token may have been stolen. */
export function apiSessionEvent(
  type: ApiSessionEvent['event_type'],
  { id, identityId, ipAddress, isOidc = false, cause }: ReportedSession,
): ApiSessionEvent {
  return {
    namespace: 'apiSession',
    event_type: type,
    id,
    type: isOidc ? 'jwt' : 'legacy',
    identity_id: identityId,
    ip_address: ipAddress,
    cert_generated: false,
    ...(cause && {
      reason: cause.cause,
      external_jwt_signer_id: cause.signerId,
      message: `ended by ${describeCause(cause.cause)} of signer ${cause.signerName}`,
    }),
  }
}
