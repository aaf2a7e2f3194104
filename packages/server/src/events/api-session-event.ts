import type { ApiSessionEvent } from './controller-event.ts'

interface ReportedSession {
  readonly id: string
  readonly identityId: string
  readonly ipAddress: string
  readonly isOidc?: boolean | undefined
}

/** A session was created or ended, or is used from a new address or program, so that its token may have been stolen. */
export function apiSessionEvent(
  type: ApiSessionEvent['event_type'],
  { id, identityId, ipAddress, isOidc = false }: ReportedSession,
): ApiSessionEvent {
  return {
    namespace: 'apiSession',
    event_type: type,
    id,
    type: isOidc ? 'jwt' : 'legacy',
    identity_id: identityId,
    ip_address: ipAddress,
    cert_generated: false,
  }
}
