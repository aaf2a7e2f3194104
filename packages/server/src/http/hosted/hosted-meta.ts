import { accountIdentityId } from '@countersign/core'
import type { HostedCaller } from '../../hosted/hosted-caller.ts'
import type { OperationMeta } from '../../store/operation-meta.ts'
import type { Call } from '../pipeline/call.ts'
import { sessionCredential } from '../pipeline/operation-meta.ts'
import { hostedCallerOf } from '../pipeline/route.ts'

/** The actor of a call of the hosted API is an administrator of this controller, or the identity of an API account. */
export function hostedMeta(call: Call, now: number): OperationMeta {
  const caller = hostedCallerOf(call)
  const { authorName, ...actor } = actorOf(caller)
  const { ifMatch, source } = call
  return {
    ...actor,
    organizationId: caller.organizationId,
    now,
    source: { authorName, ...source },
    ...(ifMatch !== undefined && { ifMatch }),
  }
}

function actorOf({ session, secondSigner, account }: HostedCaller) {
  if (session) {
    const { id: actorId, name: authorName } = session.identity
    return { actorId, authorName, credential: sessionCredential(session, { secondSigner }) }
  }
  if (!account) throw new TypeError('the caller has neither a session nor an account')
  const id = accountIdentityId(account.id)
  return { actorId: id, authorName: id, credential: account.credential }
}
