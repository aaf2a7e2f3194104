import type { LiveSession } from '../../session/live-sessions.ts'
import type { SessionCredential } from '../../store/actor-credential.ts'
import type { OperationMeta } from '../../store/operation-meta.ts'
import type { Call } from './call.ts'
import { sessionOf } from './route.ts'

/** The meta of an operation that a call runs. The actor is the identity of the session. */
export function operationMeta(
  call: Pick<Call, 'session' | 'source'> & Partial<Pick<Call, 'ifMatch' | 'secondSigner'>>,
  now: number,
): OperationMeta {
  const session = sessionOf(call)
  const { id, name } = session.identity
  const { ifMatch, secondSigner } = call
  return {
    actorId: id,
    credential: sessionCredential(session, secondSigner),
    now,
    source: { authorName: name, ...call.source },
    ...(ifMatch !== undefined && { ifMatch }),
  }
}

/** `secondSigner` is the one that verified the second token of the request. */
export function sessionCredential(
  { id }: LiveSession,
  secondSigner: SessionCredential['secondSigner'] = null,
): SessionCredential {
  return { sessionId: id, secondSigner }
}
