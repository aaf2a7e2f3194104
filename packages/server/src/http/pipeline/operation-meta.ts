import type { LiveSession } from '../../session/live-sessions.ts'
import type { SessionCredential } from '../../store/actor-credential.ts'
import type { OperationMeta } from '../../store/operation-meta.ts'
import type { Call } from './call.ts'
import { sessionOf } from './route.ts'

/** The meta of an operation that a call runs. The actor is the identity of the session. */
export function operationMeta(
  call: Pick<Call, 'session' | 'source'> & Partial<Pick<Call, 'ifMatch'>>,
  now: number,
): OperationMeta {
  const session = sessionOf(call)
  const { id, name } = session.identity
  const { ifMatch } = call
  return {
    actorId: id,
    credential: sessionCredential(session),
    now,
    source: { authorName: name, ...call.source },
    ...(ifMatch !== undefined && { ifMatch }),
  }
}

/** The pipeline has verified the second token that the session's policy requires. */
export function sessionCredential({ id, policy }: LiveSession): SessionCredential {
  return { sessionId: id, secondSignerId: policy.secondary.requireExtJwtSigner }
}
