import { type Kysely, sql } from 'kysely'
import { authPolicyFromRow, type StoredAuthPolicy } from '../auth-policy-row.ts'
import { prepared } from '../prepared.ts'
import type { AuthPolicyRow, Database } from '../schema.ts'
import { countOf } from './count-of.ts'

const policyById = prepared(1, (db, id: string) => db.selectFrom('auth_policies').selectAll().where('id', '=', id))

const signersOf = prepared(1, (db, id: string) =>
  db.selectFrom('auth_policy_signers').select('signer_id').where('auth_policy_id', '=', id).orderBy('signer_id'),
)

const policyIdById = prepared(1, (db, id: string) => db.selectFrom('auth_policies').select('id').where('id', '=', id))

export async function hasAuthPolicy(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await policyIdById(db, id)).length > 0
}

/** Runs the same queries whether the policy exists or not. */
export async function findAuthPolicy(db: Kysely<Database>, id: string): Promise<StoredAuthPolicy | undefined> {
  return toPolicy(...(await Promise.all([policyById(db, id), signersOf(db, id)])))
}

/** The policies with these ids. */
export async function loadAuthPolicies(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredAuthPolicy>> {
  const found = await Promise.all([...new Set(ids)].map((id) => findAuthPolicy(db, id)))
  return new Map(found.flatMap((policy) => (policy ? [[policy.id, policy] as const] : [])))
}

const policyOfIdentity = prepared(1, (db, identityId: string) =>
  db.selectFrom('auth_policies').selectAll().where('id', '=', ofIdentity(db, identityId)),
)

const signersOfIdentity = prepared(1, (db, identityId: string) =>
  db
    .selectFrom('auth_policy_signers')
    .select('signer_id')
    .where('auth_policy_id', '=', ofIdentity(db, identityId))
    .orderBy('signer_id'),
)

function ofIdentity(db: Kysely<Database>, identityId: string) {
  return db.selectFrom('identities').select('auth_policy_id').where('id', '=', identityId)
}

/** The policy of an identity, without waiting for the row of the identity first. */
export async function findAuthPolicyOf(
  db: Kysely<Database>,
  identityId: string,
): Promise<StoredAuthPolicy | undefined> {
  return toPolicy(...(await Promise.all([policyOfIdentity(db, identityId), signersOfIdentity(db, identityId)])))
}

function toPolicy(
  [row]: readonly AuthPolicyRow[],
  signers: readonly { readonly signer_id: string }[],
): StoredAuthPolicy | undefined {
  const allowed = signers.map((link) => link.signer_id)
  return row && authPolicyFromRow(row, allowed)
}

export async function withAllowedSigners(
  db: Kysely<Database>,
  rows: readonly AuthPolicyRow[],
): Promise<StoredAuthPolicy[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const links = await db
    .selectFrom('auth_policy_signers')
    .selectAll()
    .where('auth_policy_id', 'in', ids)
    .orderBy('signer_id')
    .execute()
  const byPolicy = Map.groupBy(links, (link) => link.auth_policy_id)
  return rows.map((row) => authPolicyFromRow(row, byPolicy.get(row.id)?.map((link) => link.signer_id) ?? []))
}

/** Up to `limit` different rules of policies in which the word `signer` occurs, without which none reads anything about signers. */
export async function listRulesAboutSigners(db: Kysely<Database>, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('auth_policies')
    .select('accept_rule')
    .distinct()
    // `like` ignores case in SQLite.
    .where(sql<boolean>`replace(accept_rule, 'signer', '') <> accept_rule`)
    .limit(limit)
    .execute()
  return rows.flatMap(({ accept_rule: rule }) => rule ?? [])
}

/** How many policies there are, up to `most`. */
export function countAuthPolicies(db: Kysely<Database>, most: number): Promise<number> {
  return countOf(db, db.selectFrom('auth_policies').select('id').limit(most).as('counted'))
}

/** The characters of the rules of all policies but one. */
export async function sumPolicyRules(db: Kysely<Database>, exceptId: string): Promise<number> {
  const { total } = await db
    .selectFrom('auth_policies')
    .select(sql<number>`coalesce(sum(length(accept_rule)), 0)`.as('total'))
    .where('id', '!=', exceptId)
    .executeTakeFirstOrThrow()
  return Number(total)
}

/** Whether a policy has this name. */
export async function isPolicyName(db: Kysely<Database>, name: string): Promise<boolean> {
  return (await db.selectFrom('auth_policies').select('id').where('name', '=', name).executeTakeFirst()) !== undefined
}
