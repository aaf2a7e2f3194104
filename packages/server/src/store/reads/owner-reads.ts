import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'

/** The name of the identity with this external id. */
export async function findExternalIdOwnerName(db: Kysely<Database>, externalId: string): Promise<string | undefined> {
  const owner = await db
    .selectFrom('identities')
    .select('name')
    .where('external_id', '=', externalId)
    .executeTakeFirst()
  return owner?.name
}

const ownersOfAuthenticators = (db: Kysely<Database>) =>
  db
    .selectFrom('authenticators')
    .innerJoin('identities', 'identities.id', 'authenticators.identity_id')
    .select('identities.name')

/** The name of the identity that logs in with this user name. */
export async function findUsernameOwnerName(db: Kysely<Database>, username: string): Promise<string | undefined> {
  const owner = await ownersOfAuthenticators(db).where('authenticators.username', '=', username).executeTakeFirst()
  return owner?.name
}

/** The name of the identity that logs in with this certificate, or one with its key. */
export async function findCertificateOwnerName(
  db: Kysely<Database>,
  { fingerprint, publicKeyDigest }: { readonly fingerprint: string; readonly publicKeyDigest: string },
): Promise<string | undefined> {
  const owner = await ownersOfAuthenticators(db)
    .where((eb) =>
      eb.or([
        eb('authenticators.fingerprint', '=', fingerprint),
        eb('authenticators.public_key_digest', '=', publicKeyDigest),
      ]),
    )
    .executeTakeFirst()
  return owner?.name
}
