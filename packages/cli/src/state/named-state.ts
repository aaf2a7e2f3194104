import type { ControllerClient } from '@countersign/sdk'
import { collect } from '../collect.ts'
import { IDENTITIES, POLICIES, SIGNERS } from '../resources/kinds.ts'
import { pickWritable } from '../resources/pick-writable.ts'
import type { ResourceKind, Thing } from '../resources/resource-kind.ts'

/** The kinds that a file of `export` holds, in the order in which `apply` makes them. */
export const KINDS = [SIGNERS, POLICIES, IDENTITIES] as const

export type Members = Record<string, unknown>

/** Members that name another thing: by its name in files, by its id in calls. */
const REFERENCES: readonly {
  readonly kind: ResourceKind
  readonly path: readonly string[]
  readonly to: ResourceKind
}[] = [
  { kind: SIGNERS, path: ['enrollAuthPolicyId'], to: POLICIES },
  { kind: POLICIES, path: ['primary', 'extJwt', 'allowedSigners'], to: SIGNERS },
  { kind: POLICIES, path: ['secondary', 'requireExtJwtSigner'], to: SIGNERS },
  { kind: IDENTITIES, path: ['authPolicyId'], to: POLICIES },
]

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

/** The members with every reference to another thing replaced. Nothing of the given is changed. */
export function mapReferences(
  kind: ResourceKind,
  members: Members,
  replace: (reference: string, to: ResourceKind) => unknown,
): Members {
  const copy = structuredClone(members)
  for (const { kind: of, path, to } of REFERENCES) {
    if (of !== kind) continue
    const holder = path.slice(0, -1).reduce<unknown>((value, name) => (value as Members | undefined)?.[name], copy) as
      | Members
      | undefined
    const last = path.at(-1) ?? ''
    const value = holder?.[last]
    if (!holder) continue
    if (typeof value === 'string') holder[last] = replace(value, to)
    else if (Array.isArray(value)) holder[last] = value.map((one) => (typeof one === 'string' ? replace(one, to) : one))
  }
  return copy
}
