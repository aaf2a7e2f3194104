import type { Kysely } from 'kysely'
import { notFound } from '../not-found.ts'
import { prepared } from '../prepared.ts'
import type { Database, PasskeyRow } from '../schema.ts'

const byCredentialId = prepared(1, (db, credentialId: string) =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId),
)

/** The passkey with this credential id, of any identity. */
export async function findPasskeyByCredential(
  db: Kysely<Database>,
  credentialId: string,
): Promise<PasskeyRow | undefined> {
  const [row] = await byCredentialId(db, credentialId)
  return row
}

const byId = prepared(1, (db, id: string) => db.selectFrom('passkeys').selectAll().where('id', '=', id))

/** A passkey of an identity. Fails with NOT_FOUND also for one of another identity. */
export async function getPasskey(db: Kysely<Database>, id: string, identityId: string): Promise<PasskeyRow> {
  const [row] = await byId(db, id)
  if (row?.identity_id !== identityId) throw notFound('passkey', id)
  return row
}

const ofIdentity = prepared(1, (db, identityId: string) =>
  db.selectFrom('passkeys').selectAll().where('identity_id', '=', identityId).orderBy('created_at').orderBy('id'),
)

/** The passkeys of an identity, oldest first. */
export async function listPasskeys(db: Kysely<Database>, identityId: string): Promise<readonly PasskeyRow[]> {
  return ofIdentity(db, identityId)
}

const anyOf = prepared(1, (db, identityId: string) =>
  db.selectFrom('passkeys').select('id').where('identity_id', '=', identityId).limit(1),
)

export async function hasPasskey(db: Kysely<Database>, identityId: string): Promise<boolean> {
  return (await anyOf(db, identityId)).length > 0
}

/** The names of up to `limit` identities whose policy requires a passkey, and whose passkeys are all of other domains than these. */
export async function listIdentitiesWithoutUsablePasskey(
  db: Kysely<Database>,
  domains: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('passkeys')
    .innerJoin('identities', 'identities.id', 'passkeys.identity_id')
    .innerJoin('auth_policies', 'auth_policies.id', 'identities.auth_policy_id')
    .select('identities.name')
    .distinct()
    .where('auth_policies.require_passkey', '=', true)
    .where('passkeys.rp_id', 'not in', domains)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('passkeys as usable')
            .select('usable.id')
            .whereRef('usable.identity_id', '=', 'identities.id')
            .where('usable.rp_id', 'in', domains),
        ),
      ),
    )
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

const spentChallenge = prepared(2, (db, identityId: string, digest: string) =>
  db
    .selectFrom('spent_challenges')
    .select('expires_at')
    .where('identity_id', '=', identityId)
    .where('challenge_digest', '=', digest),
)

/** Whether an identity has used a challenge. Decided again in the transaction that uses it. */
export async function isChallengeSpent(db: Kysely<Database>, identityId: string, digest: string): Promise<boolean> {
  return (await spentChallenge(db, identityId, digest)).length > 0
}
