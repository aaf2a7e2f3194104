import type { WriteMeta } from '../../store/write-operation.ts'
import { type Call, sessionOf } from './route.ts'

/** In whose name a call writes. */
export function writeMeta(call: Call, now: number): WriteMeta {
  return { actorId: sessionOf(call).identity.id, now }
}
