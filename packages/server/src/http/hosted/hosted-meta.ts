import { accountIdentityId } from '@countersign/core'
import type { WriteMeta } from '../../store/write-operation.ts'
import type { Call } from '../pipeline/call.ts'
import { hostedCallerOf } from '../pipeline/route.ts'

/** In whose name a call of the hosted API writes: an administrator of this controller, or an API account by its id. */
export function hostedMeta(call: Call, now: number): WriteMeta {
  const { session, account } = hostedCallerOf(call)
  const authorName = session?.identity.name ?? accountIdentityId(account?.id ?? '')
  return { actorId: session?.identity.id ?? authorName, now, source: { authorName, ...call.source } }
}
