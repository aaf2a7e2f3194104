import type { SessionMove } from '../api-session/session-moves.ts'
import type { ApiSessionEvent } from './controller-event.ts'

/** A session is used from elsewhere, or by another program: its token may have been copied. */
export function sessionMoveEvent(
  move: SessionMove,
  { id, identityId, address }: { readonly id: string; readonly identityId: string; readonly address: string },
): ApiSessionEvent {
  return {
    namespace: 'apiSession',
    event_type: move,
    id,
    type: 'legacy',
    identity_id: identityId,
    ip_address: address,
    cert_generated: false,
  }
}
