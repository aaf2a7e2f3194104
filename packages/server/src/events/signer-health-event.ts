import type { SignerKeyWarning } from '../keyset/signer-key-warning.ts'
import type { SignerHealthEvent } from './controller-event.ts'

/** A warning about the keys of a signer, for whoever watches events. */
export function signerHealthEvent({ kind, signerId, message }: SignerKeyWarning): SignerHealthEvent {
  return { namespace: 'signerHealth', event_type: kind, external_jwt_signer_id: signerId, message }
}
