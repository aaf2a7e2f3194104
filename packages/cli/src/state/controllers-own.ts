import { ACCOUNT_AUTH_POLICY_ID, isAccountIdentity } from '@countersign/sdk'
import { IDENTITIES, POLICIES } from '../resources/kinds.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { ResourceKind } from '../resources/resource-kind.ts'

type ByKind<One extends Members> = ReadonlyMap<ResourceKind, readonly One[]>

/**
 * Parts what people keep from what the controller makes and keeps by itself: the identities of API accounts, and their policy unless
 * something of people's names it too. The server lets nobody else have the ids and names of such identities, nor give them another policy.
 */
export function partControllersOwn<One extends Members>(
  all: ByKind<One>,
  /** What things name each other by: ids on a controller, names in a file. */
  key: 'id' | 'name',
): { readonly own: ByKind<One>; readonly others: ByKind<One> } {
  const isAccount = (kind: ResourceKind, one: One) => kind === IDENTITIES && isAccountIdentity(String(one[key]))
  const named = { byAccounts: new Set<unknown>(), byOthers: new Set<unknown>() }
  for (const [kind, things] of all) {
    for (const one of things) {
      const names = isAccount(kind, one) ? named.byAccounts : named.byOthers
      mapReferences(kind, one, (reference, to) => {
        if (to === POLICIES) names.add(reference)
        return reference
      })
    }
  }
  const isAccountPolicy = (kind: ResourceKind, { id, [key]: name }: One) =>
    kind === POLICIES && (id === ACCOUNT_AUTH_POLICY_ID || named.byAccounts.has(name)) && !named.byOthers.has(name)
  const isOwn = (kind: ResourceKind, one: One) => isAccount(kind, one) || isAccountPolicy(kind, one)
  const pick = (wanted: boolean): ByKind<One> =>
    new Map([...all].map(([kind, things]) => [kind, things.filter((one) => isOwn(kind, one) === wanted)]))
  return { own: pick(true), others: pick(false) }
}
