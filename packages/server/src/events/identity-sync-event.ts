import type { SyncWarning } from '@countersign/core'
import type { IdentitySyncEvent } from './controller-event.ts'

/** The identity of a token, and the signer that accepted it. */
interface SyncedBy {
  readonly signerId: string
  readonly identity: { readonly id: string; readonly name: string }
}

interface SyncedAttributes {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export function identityChangedEvent({ added, removed, ...by }: SyncedBy & SyncedAttributes): IdentitySyncEvent {
  return { ...members(by), event_type: 'changed', added, removed, claim: '', reason: '', message: '' }
}

export function identitySyncWarning({ problem, claim, message }: SyncWarning, by: SyncedBy): IdentitySyncEvent {
  return { ...members(by), event_type: 'warning', added: [], removed: [], claim, reason: problem, message }
}

function members({ signerId, identity }: SyncedBy) {
  return {
    namespace: 'identitySync',
    external_jwt_signer_id: signerId,
    identity_id: identity.id,
    identity_name: identity.name,
  } as const
}
