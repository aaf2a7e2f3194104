import type { ControllerClient } from '@countersign/sdk'
import { collect } from '../collect.ts'
import { IDENTITIES, POLICIES, SIGNERS } from '../resources/kinds.ts'
import { pickWritable } from '../resources/pick-writable.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { ResourceKind, Thing } from '../resources/resource-kind.ts'

/** The kinds that a file of `export` holds, in the order in which `apply` makes them. */
export const KINDS = [SIGNERS, POLICIES, IDENTITIES] as const

/** What is there, by kind. */
export type State = ReadonlyMap<ResourceKind, Thing[]>

/** Reads all signers, policies and identities. */
export async function loadState(client: ControllerClient): Promise<State> {
  const state = new Map<ResourceKind, Thing[]>()
  for (const kind of KINDS) {
    const all = await collect(kind.open(client).list())
    state.set(
      kind,
      all.sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
    )
  }
  return state
}

/** A thing as files have it: what people may write, others by their names. */
export function toNamed(kind: ResourceKind, thing: Thing, state: State): Members {
  return mapReferences(
    kind,
    pickWritable(kind, thing),
    (id, to) => state.get(to)?.find((one) => one.id === id)?.name ?? id,
  )
}
