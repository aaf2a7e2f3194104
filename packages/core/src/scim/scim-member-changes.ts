import type { ScimGroupChange } from './scim-group.ts'

/** What the changes of a request do to the members of a group together. */
export interface NetMembers {
  /** Whether members that are not named stay. */
  readonly keepsOthers: boolean
  readonly added: readonly string[]
  /** Empty unless others are kept. */
  readonly removed: readonly string[]
}

/** The effect of all changes in their order. A request has up to hundreds, each of which would take several statements. */
export function netMembers(changes: readonly ScimGroupChange[]): NetMembers {
  let keepsOthers = true
  const added = new Set<string>()
  const removed = new Set<string>()
  for (const change of changes) {
    if (change.kind !== 'members') continue
    if (change.op === 'replace') {
      keepsOthers = false
      added.clear()
    }
    const [joining, leaving] = change.op === 'remove' ? [removed, added] : [added, removed]
    for (const id of change.ids) {
      joining.add(id)
      leaving.delete(id)
    }
  }
  return { keepsOthers, added: [...added], removed: keepsOthers ? [...removed] : [] }
}
