import { DEFAULT_AUTH_POLICY_ID } from '@countersign/contract/identity'
import { ACCOUNT_AUTH_POLICY_ID, isAccountIdentity } from '@countersign/sdk'
import { CliError, EXIT } from '../cli-error.ts'
import { ACCOUNTS } from '../resources/hosted-kinds.ts'
import { IDENTITIES, POLICIES } from '../resources/kinds.ts'
import { mergeMembers } from '../resources/merge-members.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { Item, ResourceDescription } from '../resources/resource-kind.ts'
import { findItem, type State, toNamed } from './named-state.ts'
import type { Desired, Step } from './plan.ts'
import { KINDS } from './state-kinds.ts'

/** The ids of the caller at the two APIs. */
export interface CallerIds {
  readonly identityId: string
  readonly accountId: string | undefined
}

/** Items that are never deleted: the reason, or an empty text for those of which a file says nothing. */
const PROTECTED: readonly {
  readonly kind: ResourceDescription
  readonly reason: string
  isProtected(item: Item, caller: CallerIds): boolean
}[] = [
  { kind: IDENTITIES, reason: '', isProtected: ({ id }) => isAccountIdentity(id) },
  { kind: IDENTITIES, reason: 'which is you', isProtected: ({ id }, { identityId }) => id === identityId },
  {
    kind: IDENTITIES,
    reason: 'the default administrator',
    isProtected: ({ isDefaultAdmin }) => isDefaultAdmin === true,
  },
  { kind: POLICIES, reason: '', isProtected: ({ id }) => id === ACCOUNT_AUTH_POLICY_ID },
  { kind: POLICIES, reason: 'the default policy', isProtected: ({ id }) => id === DEFAULT_AUTH_POLICY_ID },
  { kind: ACCOUNTS, reason: 'which is you', isProtected: ({ id }, { accountId }) => id === accountId },
]

export interface Pruning {
  /** In the order in which they are carried out: what references others first. */
  readonly steps: readonly Step[]
  /** Items that are not in the file and stay all the same. */
  readonly kept: readonly string[]
}

/** The deletion of every item that the file does not contain, of the kinds that it names. */
export function planPruning(desired: Desired, state: State, caller: CallerIds): Pruning {
  const [steps, kept]: [Step[], string[]] = [[], []]
  for (const kind of KINDS.toReversed()) {
    const items = desired.get(kind)
    if (!items) continue
    const names = new Set(items.map(({ name }) => name))
    for (const existing of state.get(kind) ?? []) {
      const name = String(existing.name)
      if (names.has(name)) continue
      const rule = PROTECTED.find((row) => row.kind === kind && row.isProtected(existing, caller))
      if (!rule) steps.push({ action: 'delete', kind, name, existing, members: {}, changes: [] })
      else if (rule.reason !== '') kept.push(`${kind.singular} ${name}, ${rule.reason}`)
    }
  }
  return { steps, kept }
}

/** Throws when an item that stays references one that is deleted. The controller itself removes links to signers. */
export function checkPruning(plan: readonly Step[], state: State): void {
  const deleted = new Set(plan.flatMap(({ action, existing }) => (action === 'delete' ? [existing] : [])))
  if (deleted.size === 0) return
  for (const { kind, name, after, given } of listRemaining(plan, state, deleted)) {
    mapReferences(kind, after, (reference, to, path) => {
      const isUnlinked = path === 'linkedSigners' && !(path in given)
      const used = findItem(state.get(to) ?? [], reference)
      if (!used || !deleted.has(used) || isUnlinked) return reference
      throw new CliError(
        `the ${to.singular} ${String(used.name)} is not in the file and cannot be deleted: the ${kind.singular} ${name} references it`,
        { hint: `add it to the file, or change ${path} of the ${kind.singular}`, exitCode: EXIT.conflict },
      )
    })
  }
}

interface Remaining {
  readonly kind: ResourceDescription
  readonly name: string
  readonly after: Members
  readonly given: Members
}

/** Every item after the plan, with the members that the plan gives it. */
function listRemaining(plan: readonly Step[], state: State, deleted: ReadonlySet<Item | undefined>): Remaining[] {
  const steps = new Map(plan.map((step) => [step.existing, step]))
  const existing = [...state].flatMap(([kind, items]) =>
    items.flatMap((item): Remaining[] => {
      if (deleted.has(item)) return []
      const given = steps.get(item)?.members ?? {}
      return [{ kind, name: String(item.name), after: mergeMembers(toNamed(kind, item, state), given), given }]
    }),
  )
  const created = plan.flatMap(({ action, kind, name, members }): Remaining[] =>
    action === 'create' ? [{ kind, name, after: members, given: members }] : [],
  )
  return [...existing, ...created]
}
