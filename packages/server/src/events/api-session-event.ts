import type { ApiSessionEvent } from './controller-event.ts'

/** A session was created or ended, or is used from a new address or program, so that its token may have been stolen. */
export function apiSessionEvent(
  type: ApiSessionEvent['event_type'],
  { id, identityId, ipAddress }: { readonly id: string; readonly identityId: string; readonly ipAddress: string },
): ApiSessionEvent {
  return {
    namespace: 'apiSession',
    event_type: type,
    id,
    type: 'legacy',
    identity_id: identityId,
    ip_address: ipAddress,
    cert_generated: false,
  }
}
