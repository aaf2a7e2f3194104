import { accountIdentityId, accountIdOf, isAccountIdentity } from '@countersign/core'
import type { CompiledQuery, Kysely, Selectable } from 'kysely'
import type { ChangedEntity } from '../change.ts'
import { readJsonColumn } from '../json-column.ts'
import type { Database } from '../schema.ts'
import type { Store } from '../store.ts'
import { withinDeadline } from './list-reader.ts'

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

type EventStore = Pick<Store, 'db' | 'dialect' | 'readLong'>

/** Events of one organization, the newest first; of one millisecond, changes before tokens. Reads by index no more than a page of each kind. */
export async function listAuditEvents(
  store: EventStore,
  organizationId: string,
  wanted: WantedAuditEvents,
): Promise<AuditEvent[]> {
  // One after the other: an organization has one place for long reads.
  const changes = await listChanges(store, organizationId, wanted)
  const tokens = await listTokens(store, organizationId, wanted)
  return [...changes, ...tokens].toSorted((a, b) => b.at - a.at).slice(0, wanted.limit)
}

async function listChanges(
  store: EventStore,
  organizationId: string,
  wanted: WantedAuditEvents,
): Promise<AuditedChange[]> {
  const newest = buildChanges(store, organizationId, wanted)
  const rows = newest ? await store.readLong(organizationId, newest) : []
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

const CHANGE_COLUMNS = [
  ...(['at', 'seq', 'entity', 'entity_id', 'entity_name', 'action'] as const),
  ...(['changed_members', 'actor_id', 'source_address'] as const),
] as const

type ChangeRow = Pick<Selectable<Database['change_log']>, (typeof CHANGE_COLUMNS)[number]>

/** The newest changes of each kind, which an index finds, and of these the newest; undefined when no kind is wanted. */
export function buildChanges(
  store: Pick<Store, 'db' | 'dialect'>,
  organizationId: string,
  { from, to, after, limit, changes }: WantedAuditEvents,
): CompiledQuery<ChangeRow> | undefined {
  const newest = changes.map(({ entity, action }) =>
    store.db
      .selectFrom('change_log')
      .select(CHANGE_COLUMNS)
      .where('organization_id', '=', organizationId)
      .where('entity', '=', entity)
      .where('action', '=', action)
      .where(withinDeadline(store))
      .where('at', '>=', from)
      .where('at', '<=', after ? Math.min(to, after.at) : to)
      .$if(after !== undefined && 'seq' in after, (query) =>
        query.where((is) =>
          is.or([is('at', '<', after?.at ?? 0), is('seq', '<', after && 'seq' in after ? after.seq : 0)]),
        ),
      )
      .$if(after !== undefined && 'decisionId' in after, (query) => query.where('at', '<', after?.at ?? 0))
      .orderBy('at', 'desc')
      .orderBy('seq', 'desc')
      .limit(limit),
  )
  // SQLite limits a part of a union only inside a subquery.
  const [first, ...others] = newest.map((query) => store.db.selectFrom(query.as('newest')).selectAll())
  return others
    .reduce((all, query) => all?.unionAll(query), first)
    ?.orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .compile()
}

async function listTokens(
  store: EventStore,
  organizationId: string,
  wanted: WantedAuditEvents,
): Promise<AuditedToken[]> {
  const { from, to, after, limit, tokens } = wanted
  if (!tokens.accepted && !tokens.refused) return []
  const found = store.db
    .selectFrom('auth_decisions')
    .select(['at', 'id', 'reason', 'identity_id', 'remote_address'])
    .where('organization_id', '=', organizationId)
    .where(withinDeadline(store))
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
  const rows = await store.readLong(organizationId, found.compile())
  return rows.map(({ at, id, reason, identity_id: accountId, remote_address: address }) => {
    return { at, decisionId: id, reason, accountId, address }
  })
}

/** The actors that are members of the organization, with their names, null where that is no longer known: its accounts and, if it owns this controller, identities. */
export async function loadMemberNames(
  store: EventStore,
  organizationId: string,
  actorIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const accountIds = actorIds.filter(isAccountIdentity).map(accountIdOf)
  const identityIds = actorIds.filter((id) => !isAccountIdentity(id))
  const [accounts, identities] = await Promise.all([
    loadAccountNames(store, organizationId, accountIds),
    loadIdentityNames(store.db, organizationId, identityIds),
  ])
  return new Map([...accounts, ...identities])
}

type NamedActor = readonly [actorId: string, name: string | null]

/** A deleted account is known by the entry of its deletion, which is kept longer than what it has done. */
async function loadAccountNames(
  store: EventStore,
  organizationId: string,
  ids: readonly string[],
): Promise<NamedActor[]> {
  if (ids.length === 0) return []
  const present = await store.db
    .selectFrom('api_accounts')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute()
  const missing = ids.filter((id) => !present.some((account) => account.id === id))
  const deleted = missing.length === 0 ? [] : await loadDeletedAccounts(store, organizationId, missing)
  return [...present, ...deleted].map(({ id, name }) => [accountIdentityId(id), name])
}

function loadDeletedAccounts(store: EventStore, organizationId: string, ids: readonly string[]) {
  const deletions = store.db
    .selectFrom('change_log')
    .select(['entity_id as id', 'entity_name as name'])
    .where('organization_id', '=', organizationId)
    .where('entity', '=', 'apiAccounts')
    .where('action', '=', 'deleted')
    .where(withinDeadline(store))
    .where('entity_id', 'in', ids)
  return store.readLong(organizationId, deletions.compile())
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
