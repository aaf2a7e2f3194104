import { fieldError } from '@countersign/core'
import type { ChangedEntity } from '../../store/change.ts'
import type { WantedAuditEvents } from '../../store/reads/audit-event-reads.ts'

/** The records whose changes are events, by their name in event types. */
const RECORDS = {
  organization: 'organizations',
  network: 'networks',
  'api-account': 'apiAccounts',
  'identity-provider': 'identityProviders',
} as const satisfies Record<string, ChangedEntity>

const ACTIONS = ['created', 'updated', 'deleted'] as const
const TOKENS = { 'token.accepted': 'accepted', 'token.refused': 'refused' } as const

const CHANGES: readonly { readonly type: string; readonly entity: ChangedEntity; readonly action: string }[] = [
  ...Object.entries(RECORDS).flatMap(([name, entity]) =>
    ACTIONS.map((action) => ({ type: `${name}.${action}`, entity, action })),
  ),
  { type: 'api-account.unused', entity: RECORDS['api-account'], action: 'unused' },
  { type: 'api-account.picked-up', entity: RECORDS['api-account'], action: 'pickedUp' },
  { type: 'identity-provider.tested', entity: RECORDS['identity-provider'], action: 'tested' },
  { type: 'account-job.dismissed', entity: 'accountJobs', action: 'deleted' },
]

/** Every type of event. A part before the dot stands for all types that begin with it. */
export const AUDIT_EVENT_TYPES: readonly string[] = [...CHANGES.map(({ type }) => type), ...Object.keys(TOKENS)]

/** The type of a change of a record. */
export function changeType(entity: string, action: string): string {
  return CHANGES.find((change) => change.entity === entity && change.action === action)?.type ?? `${entity}.${action}`
}

/** The name of a kind of record in event types. */
export function recordName(entity: string): string {
  const names: readonly [string, ChangedEntity][] = [...Object.entries(RECORDS), ['account-job', 'accountJobs']]
  return names.find(([, known]) => known === entity)?.[0] ?? entity
}

/** Reads a list of types such as `network,token.refused`; all without one. Throws COULD_NOT_VALIDATE for an unknown type. */
export function readTypes(given: string | undefined): Pick<WantedAuditEvents, 'changes' | 'tokens'> {
  const names = given ? given.split(',').map((name) => name.trim()) : undefined
  const isWanted = (type: string): boolean =>
    names === undefined || names.some((name) => type === name || type.startsWith(`${name}.`))
  const unknown = names?.find((name) => !AUDIT_EVENT_TYPES.some((type) => type === name || type.startsWith(`${name}.`)))
  if (unknown !== undefined) {
    throw fieldError('type', `type should be a list of [${AUDIT_EVENT_TYPES.join(' ')}]`, unknown)
  }
  return {
    changes: CHANGES.filter(({ type }) => isWanted(type)),
    tokens: { accepted: isWanted('token.accepted'), refused: isWanted('token.refused') },
  }
}
