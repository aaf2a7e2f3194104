import type { ControllerClient } from '@countersign/sdk'
import { getItem } from './get-item.ts'
import { IDENTITIES, POLICIES, SIGNERS } from './kinds.ts'
import type { ResourceKind } from './resource-kind.ts'

export type Members = Record<string, unknown>

/** Members that reference another item: by name in files, by id in calls. */
const REFERENCES: readonly {
  readonly kind: ResourceKind
  readonly path: readonly string[]
  readonly to: ResourceKind
}[] = [
  { kind: SIGNERS, path: ['enrollAuthPolicyId'], to: POLICIES },
  { kind: POLICIES, path: ['primary', 'extJwt', 'allowedSigners'], to: SIGNERS },
  { kind: POLICIES, path: ['secondary', 'requireExtJwtSigner'], to: SIGNERS },
  { kind: IDENTITIES, path: ['authPolicyId'], to: POLICIES },
  { kind: IDENTITIES, path: ['linkedSigners'], to: SIGNERS },
]

/** Returns a copy of `members` with every reference replaced. */
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

/** Returns a copy of `members` with names in references replaced by ids. Throws for unknown names. */
export async function resolveReferences(
  client: ControllerClient,
  kind: ResourceKind,
  members: Members,
): Promise<Members> {
  const references: (readonly [text: string, to: ResourceKind])[] = []
  mapReferences(kind, members, (text, to) => {
    // An empty text removes a reference.
    if (text !== '') references.push([text, to])
    return text
  })
  const ids = new Map<string, string>()
  for (const [text, to] of references) {
    ids.set(`${to.plural} ${text}`, (await getItem(to, to.open(client), text)).id)
  }
  return mapReferences(kind, members, (text, to) => ids.get(`${to.plural} ${text}`) ?? text)
}
