import { accountIdentityId, accountIdOf, isAccountIdentity } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { ChangedEntity } from '../change.ts'
import { readJsonColumn } from '../json-column.ts'
import type { Database } from '../schema.ts'

type Db = Kysely<Database>

/** Where a page of events begins: after this event, in the order from the newest to the oldest. */
export type AuditPosition = { readonly at: number } & ({ readonly seq: number } | { readonly decisionId: string })

/** The requested events of an organization. */
export interface WantedAuditEvents {
  /** The first and the last millisecond. */
  readonly from: number
  readonly to: number
  readonly after: AuditPosition | undefined
  readonly limit: number
  /** The changes of records; none when empty. */
  readonly changes: readonly { readonly entity: ChangedEntity; readonly action: string }[]
  readonly tokens: { readonly accepted: boolean; readonly refused: boolean }
}

/** A change of a record of the organization. */
export interface AuditedChange {
  readonly at: number
  readonly seq: number
  readonly entity: string
  readonly entityId: string
  readonly entityName: string | null
  readonly action: string
  readonly changed: readonly string[] | null
  readonly actorId: string
  readonly address: string | null
}

/** An accepted or refused token of an account of the organization. */
export interface AuditedToken {
  readonly at: number
  readonly decisionId: string
  readonly reason: string
  readonly accountId: string | null
  readonly address: string
}

export type AuditEvent = AuditedChange | AuditedToken

/** Events of one organization, the newest first; of one millisecond, changes before tokens. Reads by index no more than a page of each kind. */
export async function listAuditEvents(
  db: Db,
  organizationId: string,
  wanted: WantedAuditEvents,
): Promise<AuditEvent[]> {
  const [changes, tokens] = await Promise.all([
    listChanges(db, organizationId, wanted),
    listTokens(db, organizationId, wanted),
  ])
  return [...changes, ...tokens].toSorted((a, b) => b.at - a.at).slice(0, wanted.limit)
}

async function listChanges(db: Db, organizationId: string, wanted: WantedAuditEvents): Promise<AuditedChange[]> {
  const { from, to, after, limit, changes } = wanted
  if (changes.length === 0) return []
  const rows = await db
    .selectFrom('change_log')
    .select(['at', 'seq', 'entity', 'entity_id', 'entity_name', 'action', 'changed_members', 'actor_id'])
    .select('source_address')
    .where('organization_id', '=', organizationId)
    .where('at', '>=', from)
    .where('at', '<=', after ? Math.min(to, after.at) : to)
    .where((is) => is.or(changes.map(({ entity, action }) => is('entity', '=', entity).and('action', '=', action))))
    .$if(after !== undefined && 'seq' in after, (query) =>
      query.where((is) =>
        is.or([is('at', '<', after?.at ?? 0), is('seq', '<', after && 'seq' in after ? after.seq : 0)]),
      ),
    )
    .$if(after !== undefined && 'decisionId' in after, (query) => query.where('at', '<', after?.at ?? 0))
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    at: row.at,
    seq: Number(row.seq),
    entity: row.entity,
    entityId: row.entity_id,
    entityName: row.entity_name,
    action: row.action,
    changed: row.changed_members === null ? null : readJsonColumn<string[]>(row.changed_members),
    actorId: row.actor_id,
    address: row.source_address,
  }))
}

async function listTokens(db: Db, organizationId: string, wanted: WantedAuditEvents): Promise<AuditedToken[]> {
  const { from, to, after, limit, tokens } = wanted
  if (!tokens.accepted && !tokens.refused) return []
  const rows = await db
    .selectFrom('auth_decisions')
    .select(['at', 'id', 'reason', 'identity_id', 'remote_address'])
    .where('organization_id', '=', organizationId)
    .where('at', '>=', from)
    .where('at', '<=', after ? Math.min(to, after.at) : to)
    .$if(!tokens.accepted, (query) => query.where('reason', '<>', 'accepted'))
    .$if(!tokens.refused, (query) => query.where('reason', '=', 'accepted'))
    .$if(after !== undefined && 'decisionId' in after, (query) =>
      query.where((is) =>
        is.or([is('at', '<', after?.at ?? 0), is('id', '<', after && 'decisionId' in after ? after.decisionId : '')]),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ at, id, reason, identity_id: accountId, remote_address: address }) => {
    return { at, decisionId: id, reason, accountId, address }
  })
}

/** The actors that are members of the organization, with their names, null where that is no longer known: its accounts and, if it owns this controller, identities. */
export async function loadMemberNames(
  db: Db,
  organizationId: string,
  actorIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const accountIds = actorIds.filter(isAccountIdentity).map(accountIdOf)
  const identityIds = actorIds.filter((id) => !isAccountIdentity(id))
  const [accounts, identities] = await Promise.all([
    loadAccountNames(db, organizationId, accountIds),
    loadIdentityNames(db, organizationId, identityIds),
  ])
  return new Map([...accounts, ...identities])
}

type NamedActor = readonly [actorId: string, name: string | null]

/** A deleted account is known by the entry of its deletion, which is kept longer than what it has done. */
async function loadAccountNames(db: Db, organizationId: string, ids: readonly string[]): Promise<NamedActor[]> {
  if (ids.length === 0) return []
  const present = await db
    .selectFrom('api_accounts')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute()
  const missing = ids.filter((id) => !present.some((account) => account.id === id))
  const deleted =
    missing.length === 0
      ? []
      : await db
          .selectFrom('change_log')
          .select(['entity_id as id', 'entity_name as name'])
          .where('organization_id', '=', organizationId)
          .where('entity', '=', 'apiAccounts')
          .where('action', '=', 'deleted')
          .where('entity_id', 'in', missing)
          .execute()
  return [...present, ...deleted].map(({ id, name }) => [accountIdentityId(id), name])
}

async function loadIdentityNames(db: Db, organizationId: string, ids: readonly string[]): Promise<NamedActor[]> {
  if (ids.length === 0) return []
  const local = await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .where('is_local', '=', true)
    .executeTakeFirst()
  if (!local) return []
  const rows = await db.selectFrom('identities').select(['id', 'name']).where('id', 'in', ids).execute()
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return ids.map((id) => [id, names.get(id) ?? null])
}
