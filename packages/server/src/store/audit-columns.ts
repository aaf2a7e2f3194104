import type { RecordedState } from './recorded-state.ts'

/** Members that every change sets, or that follow from others. */
const UNINTERESTING = ['updatedAt', 'revision', 'foldedName']

/** The columns by which an organization reads what was changed of its records. Empty for other entities. */
export function auditColumns(before: RecordedState | undefined, after: RecordedState | undefined) {
  const organizationId = (after ?? before)?.organizationId
  if (organizationId === undefined) return {}
  const [earlier, later] = [membersOf(before), membersOf(after)]
  const { name } = after ? later : earlier
  const changed = before && after ? changedMembers(earlier, later) : undefined
  return {
    organization_id: organizationId,
    entity_name: typeof name === 'string' ? name : null,
    changed_members: changed === undefined ? null : JSON.stringify(changed),
  }
}

type Members = Readonly<Record<string, unknown>>

function membersOf(state: RecordedState | undefined): Members {
  return state ? JSON.parse(state.text) : {}
}

/** The names of the members with another value. Values are not recorded: they can be long, and some name clients. */
function changedMembers(before: Members, after: Members): string[] {
  const names = Object.keys(after).filter((name) => !UNINTERESTING.includes(name))
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}
