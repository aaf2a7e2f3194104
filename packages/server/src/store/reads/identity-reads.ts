import type { EnrollmentKey } from '@countersign/core'
import type { Kysely } from 'kysely'
import { identityFromRow, type StoredIdentity } from '../identity-row.ts'
import { readJsonColumn } from '../json-column.ts'
import { prepared, preparedForIds } from '../prepared.ts'
import type { AuthenticatorRow, Database, IdentityRow } from '../schema.ts'
import { attributesColumn } from './attributes-column.ts'

const selectIdentity = (db: Kysely<Database>) =>
  db.selectFrom('identities').selectAll().select(attributesColumn(db).as('attributes'))

const identityById = prepared(1, (db, id: string) => selectIdentity(db).where('id', '=', id))

const identityByExternalId = prepared(1, (db, externalId: string) =>
  selectIdentity(db).where('external_id', '=', externalId),
)

const attributesOfSome = preparedForIds(0, (db, ids) =>
  db.selectFrom('identity_attributes').selectAll().where('identity_id', 'in', ids).orderBy('attribute'),
)

const namesOfSome = preparedForIds(0, (db, ids) =>
  db
    .selectFrom('identities')
    .select(['id', 'name', 'auth_policy_id as authPolicyId', 'verified_totp_id as verifiedTotpId'])
    .where('id', 'in', ids),
)

const policyNamesOfSome = preparedForIds(0, (db, ids) =>
  db.selectFrom('auth_policies').select(['id', 'name']).where('id', 'in', ids),
)

const authenticatorsOfSome = preparedForIds(0, (db, ids) =>
  db
    .selectFrom('authenticators')
    .select(['id', 'identity_id', 'method', 'username', 'fingerprint'])
    .where('identity_id', 'in', ids),
)

const loginsOfSome = preparedForIds(1, (db, ids, now: number) =>
  db
    .selectFrom('identities')
    .leftJoin('last_logins', 'last_logins.identity_id', 'identities.id')
    .select(['identities.id', 'last_logins.at as lastLoginAt', 'last_logins.method as lastLoginMethod'])
    // Ends at the first live session, however many there are.
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('api_sessions')
          .select('api_sessions.id')
          .whereRef('api_sessions.identity_id', '=', 'identities.id')
          .where('api_sessions.expires_at', '>', now),
      ).as('hasApiSession'),
    )
    .where('identities.id', 'in', ids),
)

export async function findIdentity(db: Kysely<Database>, id: string): Promise<StoredIdentity | undefined> {
  const [row] = await identityById(db, id)
  return row && identityFromRow(row, readJsonColumn(row.attributes))
}

export async function findIdentityByExternalId(
  db: Kysely<Database>,
  externalId: string,
): Promise<StoredIdentity | undefined> {
  const [row] = await identityByExternalId(db, externalId)
  return row && identityFromRow(row, readJsonColumn(row.attributes))
}

/** The identity that the claim of a token names, as the signer says: by its external id, or by its id. */
export function findIdentityByClaim(
  db: Kysely<Database>,
  { useExternalId }: { readonly useExternalId: boolean },
  claim: string,
): Promise<StoredIdentity | undefined> {
  return (useExternalId ? findIdentityByExternalId : findIdentity)(db, claim)
}

const idById = prepared(1, (db, id: string) => db.selectFrom('identities').select('id').where('id', '=', id))

const idByExternalId = prepared(1, (db, externalId: string) =>
  db.selectFrom('identities').select('id').where('external_id', '=', externalId),
)

const idByName = prepared(1, (db, name: string) => db.selectFrom('identities').select('id').where('name', '=', name))

/** Whether an identity has this name. */
export async function isIdentityName(db: Kysely<Database>, name: string): Promise<boolean> {
  // PostgreSQL has no text with a NUL, so that none is a name.
  return !name.includes('\0') && (await idByName(db, name)).length > 0
}

/** Names from `first` to `last`, both included, the largest first; at most 100. */
export async function listNamesBetween(db: Kysely<Database>, first: string, last: string): Promise<string[]> {
  const rows = await db
    .selectFrom('identities')
    .select('name')
    .where('name', '>=', first)
    .where('name', '<=', last)
    .orderBy('name', 'desc')
    .limit(100)
    .execute()
  return rows.map(({ name }) => name)
}

/** The id of the identity that enrolled with this key. */
export async function findEnrolledIdentity(db: Kysely<Database>, key: EnrollmentKey): Promise<string | undefined> {
  const [row] = await (key.useExternalId ? idByExternalId(db, key.externalId) : idById(db, key.id))
  return row?.id
}

/** The existing identities among these ids. */
export async function findIdentitiesById(db: Kysely<Database>, ids: readonly string[]): Promise<StoredIdentity[]> {
  if (ids.length === 0) return []
  return withAttributes(db, await db.selectFrom('identities').selectAll().where('id', 'in', ids).execute())
}

/** The identities with these ids or external ids. */
export async function findIdentitiesByClaims(
  db: Kysely<Database>,
  { ids, externalIds }: { readonly ids: readonly string[]; readonly externalIds: readonly string[] },
): Promise<StoredIdentity[]> {
  const found = new Map<string, IdentityRow>()
  for (const [column, values] of [
    ['id', ids],
    ['external_id', externalIds],
  ] as const) {
    if (values.length === 0) continue
    const rows = await db.selectFrom('identities').selectAll().where(column, 'in', values).execute()
    for (const row of rows) found.set(row.id, row)
  }
  return withAttributes(db, [...found.values()])
}

/** The ids of the identities with these ids or external ids. */
export async function findIdentityIdsByClaims(
  db: Kysely<Database>,
  { ids, externalIds }: { readonly ids: readonly string[]; readonly externalIds: readonly string[] },
): Promise<{ readonly byId: ReadonlyMap<string, string>; readonly byExternalId: ReadonlyMap<string, string> }> {
  const read = async (column: 'id' | 'external_id', values: readonly string[]) => {
    if (values.length === 0) return new Map<string, string>()
    const rows = await db
      .selectFrom('identities')
      .select(['id', 'external_id'])
      .where(column, 'in', [...new Set(values)])
      .execute()
    return new Map(rows.map((row) => [row[column] ?? '', row.id]))
  }
  return { byId: await read('id', ids), byExternalId: await read('external_id', externalIds) }
}

export async function withAttributes(db: Kysely<Database>, rows: readonly IdentityRow[]): Promise<StoredIdentity[]> {
  const attributes = await attributesOfSome(
    db,
    rows.map(({ id }) => id),
  )
  const byIdentity = Map.groupBy(attributes, (row) => row.identity_id)
  return rows.map((row) => identityFromRow(row, byIdentity.get(row.id) ?? []))
}

/** The fields of identities that other entities show, by id. */
export async function loadIdentityNames(db: Kysely<Database>, ids: readonly string[]) {
  const rows = await namesOfSome(db, [...new Set(ids)])
  return new Map(rows.map((row) => [row.id, row]))
}

/** The last login of an identity, and whether it has a session. */
export interface IdentityLogins {
  readonly lastLoginAt: number | null
  readonly lastLoginMethod: string | null
  readonly hasApiSession: boolean
}

const NO_LOGINS: IdentityLogins = { lastLoginAt: null, lastLoginMethod: null, hasApiSession: false }

/** The logins of identities. */
export async function loadIdentityLogins(
  db: Kysely<Database>,
  ids: readonly string[],
  now: number,
): Promise<(id: string) => IdentityLogins> {
  const rows = await loginsOfSome(db, ids, now)
  const byId = new Map(
    rows.map(({ id, hasApiSession, ...last }) => [id, { ...last, hasApiSession: Boolean(hasApiSession) }]),
  )
  return (id) => byId.get(id) ?? NO_LOGINS
}

/** The fields of an identity that are in other tables: the policy's name, the authenticators, its logins. */
export async function loadIdentityDetails(db: Kysely<Database>, identities: readonly StoredIdentity[], now: number) {
  const ids = identities.map(({ id }) => id)
  const policyIds = [...new Set(identities.map(({ authPolicyId }) => authPolicyId))]
  const [policies, authenticatorsOf, loginsOf] = await Promise.all([
    policyNamesOfSome(db, policyIds),
    loadAuthenticatorSummaries(db, ids),
    loadIdentityLogins(db, ids, now),
  ])
  const policyNames = new Map(policies.map(({ id, name }) => [id, name]))
  return ({ id, authPolicyId }: StoredIdentity) => ({
    policy: { id: authPolicyId, name: policyNames.get(authPolicyId) ?? '' },
    authenticators: authenticatorsOf(id),
    logins: loginsOf(id),
  })
}

/** The authenticators of identities, in the form that the API shows with an identity. */
export async function loadAuthenticatorSummaries(db: Kysely<Database>, ids: readonly string[]) {
  const byIdentity = Map.groupBy(await authenticatorsOfSome(db, ids), (row) => row.identity_id)
  return (id: string) => Object.fromEntries((byIdentity.get(id) ?? []).map((row) => [row.method, toSummary(row)]))
}

function toSummary({
  id,
  method,
  username,
  fingerprint,
}: Pick<AuthenticatorRow, 'id' | 'method' | 'username' | 'fingerprint'>) {
  return method === 'updb' ? { id, username } : { id, fingerprint }
}
