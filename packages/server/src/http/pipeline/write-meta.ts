import type { WriteMeta } from '../../store/write-operation.ts'
import { type Call, sessionOf } from './route.ts'

/** In whose name a call writes. */
export function writeMeta(call: Call, now: number): WriteMeta {
  const { id, name } = sessionOf(call).identity
  const { ifMatch } = call
  return { actorId: id, now, source: { authorName: name, ...call.source }, ...(ifMatch !== undefined && { ifMatch }) }
}
