import type { ApiSessionEvent } from './controller-event.ts'

/** Something has become of a session: it was opened or ended, or is used from elsewhere, so that its token may have been copied. */
export function apiSessionEvent(
  what: ApiSessionEvent['event_type'],
  { id, identityId, ipAddress }: { readonly id: string; readonly identityId: string; readonly ipAddress: string },
): ApiSessionEvent {
  return {
    namespace: 'apiSession',
    event_type: what,
    id,
    type: 'legacy',
    identity_id: identityId,
    ip_address: ipAddress,
    cert_generated: false,
  }
}
