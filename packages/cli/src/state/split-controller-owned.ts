import { ACCOUNT_AUTH_POLICY_ID, isAccountIdentity } from '@countersign/sdk'
import { IDENTITIES, POLICIES } from '../resources/kinds.ts'
import { type Members, mapReferences } from '../resources/references.ts'
import type { ResourceDescription } from '../resources/resource-kind.ts'

type ByKind<Item extends Members> = ReadonlyMap<ResourceDescription, readonly Item[]>

/**
 * Separates the items that the controller manages itself: the identities of API accounts, and their policy unless another item references it.
 * The server reserves the ids and names of these identities and does not allow another policy for them.
 */
export function splitControllerOwned<Item extends Members>(
  all: ByKind<Item>,
  /** How items reference each other: by id on a controller, by name in a file. */
  key: 'id' | 'name',
): { readonly controllerOwned: ByKind<Item>; readonly rest: ByKind<Item> } {
  const isAccount = (kind: ResourceDescription, item: Item) =>
    kind === IDENTITIES && isAccountIdentity(String(item[key]))
  const referenced = { byAccounts: new Set<unknown>(), byOthers: new Set<unknown>() }
  for (const [kind, items] of all) {
    for (const item of items) {
      const policies = isAccount(kind, item) ? referenced.byAccounts : referenced.byOthers
      mapReferences(kind, item, (reference, to) => {
        if (to === POLICIES) policies.add(reference)
        return reference
      })
    }
  }
  const isAccountPolicy = (kind: ResourceDescription, { id, [key]: name }: Item) =>
    kind === POLICIES &&
    (id === ACCOUNT_AUTH_POLICY_ID || referenced.byAccounts.has(name)) &&
    !referenced.byOthers.has(name)
  const isOwned = (kind: ResourceDescription, item: Item) => isAccount(kind, item) || isAccountPolicy(kind, item)
  const pick = (owned: boolean): ByKind<Item> =>
    new Map([...all].map(([kind, items]) => [kind, items.filter((item) => isOwned(kind, item) === owned)]))
  return { controllerOwned: pick(true), rest: pick(false) }
}
