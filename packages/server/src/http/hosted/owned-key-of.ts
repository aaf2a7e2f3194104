import type { OwnedKey } from '../../store/owned-key.ts'
import type { Call } from '../pipeline/call.ts'
import { hostedCallerOf } from '../pipeline/route.ts'

/** The entity that the path of a call names, in the caller's organization. */
export function ownedKeyOf(call: Call): OwnedKey {
  return { id: call.params.id ?? '', organizationId: hostedCallerOf(call).organizationId }
}
