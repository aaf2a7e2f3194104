import type { WriteMeta } from '../../store/write-operation.ts'
import type { Call } from './call.ts'
import { sessionOf } from './route.ts'

/** In whose name a call writes. */
export function writeMeta(
  call: Pick<Call, 'session' | 'source'> & Partial<Pick<Call, 'ifMatch'>>,
  now: number,
): WriteMeta {
  const { id, name } = sessionOf(call).identity
  const { ifMatch } = call
  return { actorId: id, now, source: { authorName: name, ...call.source }, ...(ifMatch !== undefined && { ifMatch }) }
}
