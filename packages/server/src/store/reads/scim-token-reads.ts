import type { Kysely } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'

const tokenByDigest = prepared(1, (db, digest: string) =>
  db
    .selectFrom('scim_tokens')
    .innerJoin('ext_jwt_signers', 'ext_jwt_signers.id', 'scim_tokens.signer_id')
    .select(['scim_tokens.id', 'scim_tokens.signer_id as signerId'])
    .select([
      'ext_jwt_signers.name as signerName',
      'ext_jwt_signers.enabled',
      'ext_jwt_signers.is_trusted as isTrusted',
    ])
    .where('scim_tokens.token_digest', '=', digest),
)

/** A token and the state of its signer. */
export interface KnownScimToken {
  readonly id: string
  readonly signerId: string
  readonly signerName: string
  readonly isSignerEnabled: boolean
  readonly isSignerTrusted: boolean
}

export async function findScimToken(db: Kysely<Database>, digest: string): Promise<KnownScimToken | undefined> {
  const [row] = await tokenByDigest(db, digest)
  if (!row) return undefined
  const { enabled, isTrusted, ...token } = row
  return { ...token, isSignerEnabled: Boolean(enabled), isSignerTrusted: Boolean(isTrusted) }
}

const signerOfToken = prepared(1, (db, id: string) =>
  db.selectFrom('scim_tokens').select('signer_id').where('id', '=', id),
)

/** The signer of a token, unless the token has been deleted. */
export async function findScimTokenSigner(db: Kysely<Database>, id: string): Promise<string | undefined> {
  return (await signerOfToken(db, id))[0]?.signer_id
}

/** The tokens of a signer, the oldest first. */
export async function listScimTokens(db: Kysely<Database>, signerId: string) {
  const tokens = db
    .selectFrom('scim_tokens')
    .select(['id', 'created_at as createdAt', 'created_by_id as createdById', 'created_by_name as createdByName'])
  return tokens.where('signer_id', '=', signerId).orderBy('created_at').orderBy('id').execute()
}
