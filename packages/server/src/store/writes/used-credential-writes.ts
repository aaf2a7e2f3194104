import { prepared } from '../prepared.ts'
import type { CredentialPurpose } from '../schema.ts'
import type { Transaction } from '../transaction.ts'

/** A token or proof that is accepted once. */
export interface UsedCredential {
  readonly digest: string
  /** From then on it is refused for its age. */
  readonly expiresAt: number
}

const noteUse = prepared(3, (db, digest: string, usedFor: CredentialPurpose, expiresAt: number) =>
  db
    .insertInto('used_credentials')
    .values({ digest, used_for: usedFor, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .returning('digest'),
)

const noteLogin = prepared(2, (db, digest: string, expiresAt: number) =>
  db
    .insertInto('used_credentials')
    .values({ digest, used_for: 'login', expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict
        .column('digest')
        .doUpdateSet({ used_for: 'login' })
        // An enrollment to token use and the first login after it are one use.
        .where('used_credentials.used_for', '=', 'enrollment'),
    )
    .returning('digest'),
)

/** Notes the use of a proof, or of a token by an enrollment: with the purpose `login` it does not log in afterwards. Returns false when it was used before. */
export async function useCredential(
  { db }: Transaction,
  { digest, expiresAt }: UsedCredential,
  usedFor: CredentialPurpose,
): Promise<boolean> {
  return (await noteUse(db, digest, usedFor, expiresAt)).length > 0
}

/** Notes the use of a token by a login. Returns false when a login, or an enrollment and a login, used it before. */
export async function useTokenToLogIn({ db }: Transaction, { digest, expiresAt }: UsedCredential): Promise<boolean> {
  return (await noteLogin(db, digest, expiresAt)).length > 0
}

/** Deletes up to `limit` notes of credentials that are too old to be used. Returns how many. */
export async function deleteOldUses({ db, now }: Transaction, limit: number): Promise<number> {
  const old = db.selectFrom('used_credentials').select('digest').where('expires_at', '<=', now).limit(limit)
  const deleted = db.deleteFrom('used_credentials').where('expires_at', '<=', now).where('digest', 'in', old)
  return (await deleted.returning('digest').execute()).length
}
