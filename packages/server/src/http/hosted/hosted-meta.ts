import { accountIdentityId } from '@countersign/core'
import type { OperationMeta } from '../../store/operation-meta.ts'
import type { Call } from '../pipeline/call.ts'
import { hostedCallerOf } from '../pipeline/route.ts'

/** The actor of a call of the hosted API is an administrator of this controller, or the identity of an API account. */
export function hostedMeta(call: Call, now: number): OperationMeta {
  const { session, account } = hostedCallerOf(call)
  const authorName = session?.identity.name ?? accountIdentityId(account?.id ?? '')
  return { actorId: session?.identity.id ?? authorName, now, source: { authorName, ...call.source } }
}
