import type { RecordedState } from './recorded-state.ts'

/** Members that every change sets, or that follow from others. */
const UNINTERESTING = ['updatedAt', 'revision', 'foldedName']

/** Members that the API has under other names. */
const WIRE_NAMES: Readonly<Record<string, string>> = {
  quotaNetworks: 'quotas.networks',
  quotaAccounts: 'quotas.accounts',
  quotaProviders: 'quotas.providers',
  quotaClientsPerAccount: 'quotas.clientsPerAccount',
  suspendedAt: 'suspension',
  suspensionReason: 'suspension',
  hasExpired: 'expiresAt',
}

/** The columns by which an organization reads what was changed of its records. Empty for other entities. */
export function auditColumns(before: RecordedState | undefined, after: RecordedState | undefined) {
  const organizationId = (after ?? before)?.organizationId
  if (organizationId === undefined) return {}
  const { name } = membersOf(after ?? before)
  const changed = before && after ? changedMembers(before, after) : undefined
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
function changedMembers(before: RecordedState, after: RecordedState): string[] {
  const members = differing(membersOf(before), membersOf(after)).filter((name) => !UNINTERESTING.includes(name))
  const secrets = differing(before.sealed, after.sealed)
  return [...new Set([...members.map((name) => WIRE_NAMES[name] ?? name), ...secrets])]
}

/** A member that only one of them has is different, unless it is null. */
function differing(before: Members, after: Members): string[] {
  const names = Object.keys({ ...before, ...after })
  return names.filter((name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null))
}
