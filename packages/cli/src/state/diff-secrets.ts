import { ADMINISTRATION_SECRETS } from '@countersign/contract/administration'
import { isGroup } from '@countersign/contract/resource'
import { isEmpty } from '../resources/pick-writable.ts'
import type { Members } from '../resources/references.ts'
import type { Item, ResourceDescription } from '../resources/resource-kind.ts'
import type { Change } from './diff-members.ts'

/** The member with the address that a secret is for: the controller clears the secret when it changes. */
const ADDRESSES: Readonly<Record<string, string>> = { jwksAuthorization: 'jwksEndpoint', secret: 'url' }

const isSetMark = (name: string) => `${name}Set`

/** The members that are written and never shown. Others say whether they are set. */
export function listSecrets({ members }: ResourceDescription): string[] {
  return Object.entries(members).flatMap(([name, member]) =>
    !isGroup(member) && member.notes.writeOnly && isSetMark(name) in members ? [name] : [],
  )
}

/** The secrets that a controller has for this item, which no file of `export` has. */
export function listStoredSecrets(kind: ResourceDescription, item: Item): string[] {
  return listSecrets(kind).filter((name) => item[isSetMark(name)] === true)
}

/**
 * The secrets of a file that are sent: those that the controller does not have, those whose address is in `written`, and null for one that the controller has.
 * Stored secrets cannot be compared, and sending them each time would make every run a change.
 */
export function diffSecrets(
  kind: ResourceDescription,
  desired: Members,
  { existing, written }: { readonly existing?: Item | undefined; readonly written: Members },
): Change[] {
  const stored = existing ? listStoredSecrets(kind, existing) : []
  return listSecrets(kind).flatMap((name): Change[] => {
    if (!Object.hasOwn(desired, name)) return []
    const after = isEmpty(desired[name]) ? null : desired[name]
    const isChanged = stored.includes(name) ? after === null || (ADDRESSES[name] ?? '') in written : after !== null
    return isChanged ? [{ path: name, before: null, after, isSecret: true }] : []
  })
}

/** The same for the secrets in `administration` of a provider. All are sent when another member beside them changes (`isWritten`). */
export function diffAdministrationSecrets(desired: Members, existing: Item | undefined, isWritten: boolean): Change[] {
  const { administration } = desired
  if (typeof administration !== 'object' || administration === null) return []
  const stored = (existing?.secretsSet ?? []) as readonly string[]
  return ADMINISTRATION_SECRETS.flatMap((name): Change[] => {
    const value = (administration as Members)[name]
    if (isEmpty(value) || (stored.includes(name) && !isWritten)) return []
    return [{ path: `administration.${name}`, before: null, after: value, isSecret: true }]
  })
}
