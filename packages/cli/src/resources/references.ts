import type { ControllerClient } from '@countersign/sdk'
import type { Reference } from './find-by-name-or-id.ts'
import { describeReference, getItem } from './get-item.ts'
import { ACCOUNTS, PROVIDERS } from './hosted-kinds.ts'
import { IDENTITIES, POLICIES, SIGNERS, SINKS } from './kinds.ts'
import type { ResourceDescription, ResourceKind } from './resource-kind.ts'

export type Members = Record<string, unknown>

interface ReferenceRow {
  readonly kind: ResourceDescription
  readonly path: readonly string[]
  readonly to: ResourceDescription
}

/** Members that reference another item: by name in files, by id in calls. */
const REFERENCES: readonly ReferenceRow[] = [
  { kind: SIGNERS, path: ['enrollAuthPolicyId'], to: POLICIES },
  { kind: POLICIES, path: ['primary', 'extJwt', 'allowedSigners'], to: SIGNERS },
  { kind: POLICIES, path: ['secondary', 'requireExtJwtSigner'], to: SIGNERS },
  { kind: IDENTITIES, path: ['authPolicyId'], to: POLICIES },
  { kind: IDENTITIES, path: ['linkedSigners'], to: SIGNERS },
  { kind: SINKS, path: ['filter', 'signers'], to: SIGNERS },
  { kind: ACCOUNTS, path: ['identityProviderId'], to: PROVIDERS },
]

/** The kinds that items of a kind can reference. */
export function listReferenced(kind: ResourceDescription): ResourceDescription[] {
  return REFERENCES.flatMap(({ kind: of, to }) => (of === kind ? [to] : []))
}

/** Returns a copy of `members` with every reference replaced. An empty text is none: it removes a reference. */
export function mapReferences(
  kind: ResourceDescription,
  members: Members,
  replace: (reference: Reference, to: ResourceDescription, path: string) => unknown,
): Members {
  const copy = structuredClone(members)
  for (const { kind: of, path, to } of REFERENCES) {
    if (of !== kind) continue
    const holder = path.slice(0, -1).reduce<unknown>((value, name) => (value as Members | undefined)?.[name], copy) as
      | Members
      | undefined
    const last = path.at(-1) ?? ''
    if (!holder || holder[last] === undefined) continue
    const value = holder[last]
    const replaceOne = (one: unknown) => (isReference(one) ? replace(one, to, path.join('.')) : one)
    holder[last] = Array.isArray(value) ? value.map(replaceOne) : replaceOne(value)
  }
  return copy
}

function isReference(value: unknown): value is Reference {
  if (typeof value === 'string') return value !== ''
  if (typeof value !== 'object' || value === null) return false
  const [member, ...others] = Object.entries(value)
  return others.length === 0 && ['id', 'name'].includes(member?.[0] ?? '') && typeof member?.[1] === 'string'
}

/** Returns a copy of `members` with names in references replaced by ids. Throws for unknown names. */
export async function resolveReferences(
  client: ControllerClient,
  kind: ResourceKind,
  members: Members,
): Promise<Members> {
  const keyOf = (reference: Reference, to: ResourceDescription) => JSON.stringify([to.plural, reference])
  const references = new Map<string, readonly [reference: Reference, to: ResourceDescription]>()
  mapReferences(kind, members, (reference, to) => {
    references.set(keyOf(reference, to), [reference, to])
    return reference
  })
  const ids = new Map<string, string>()
  for (const [key, [reference, to]] of references) {
    if (isKind(to)) ids.set(key, (await getItem(to, to.open(client), reference)).id)
  }
  return mapReferences(kind, members, (reference, to) => ids.get(keyOf(reference, to)) ?? describeReference(reference))
}

function isKind(kind: ResourceDescription): kind is ResourceKind {
  return 'open' in kind
}
