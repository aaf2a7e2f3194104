import type { SignerHealthEvent } from './controller-event.ts'

interface SignerWarning {
  readonly kind: string
  readonly signerId: string
  readonly message: string
}

export function signerHealthEvent({ kind, signerId, message }: SignerWarning): SignerHealthEvent {
  return { namespace: 'signerHealth', event_type: kind, external_jwt_signer_id: signerId, message }
}
