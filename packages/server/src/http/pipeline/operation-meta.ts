import type { OperationMeta } from '../../store/operation-meta.ts'
import type { Call } from './call.ts'
import { sessionOf } from './route.ts'

/** The meta of an operation that a call runs. The actor is the identity of the session. */
export function operationMeta(
  call: Pick<Call, 'session' | 'source'> & Partial<Pick<Call, 'ifMatch'>>,
  now: number,
): OperationMeta {
  const { id: sessionId, identity } = sessionOf(call)
  const { ifMatch } = call
  return {
    actorId: identity.id,
    sessionId,
    now,
    source: { authorName: identity.name, ...call.source },
    ...(ifMatch !== undefined && { ifMatch }),
  }
}
