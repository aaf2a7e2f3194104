import { ADMINISTRATION_SECRETS } from '@countersign/contract/administration'
import { isEmpty } from '../resources/pick-writable.ts'
import type { Members } from '../resources/references.ts'
import type { Item } from '../resources/resource-kind.ts'
import type { Change } from './diff-members.ts'

/**
 * The secrets of a file that are sent: those that the controller does not have, and all when `isWritten`, because another member beside them changes.
 * Stored secrets cannot be compared, and sending them each time would make every run a change.
 */
export function diffSecrets(desired: Members, existing: Item | undefined, isWritten: boolean): Change[] {
  const { administration } = desired
  if (typeof administration !== 'object' || administration === null) return []
  const stored = (existing?.secretsSet ?? []) as readonly string[]
  return ADMINISTRATION_SECRETS.flatMap((name): Change[] => {
    const value = (administration as Members)[name]
    if (isEmpty(value) || (stored.includes(name) && !isWritten)) return []
    return [{ path: `administration.${name}`, before: null, after: value, isSecret: true }]
  })
}
