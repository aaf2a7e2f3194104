import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'

export interface FetchedKeys {
  readonly signerId: string
  /** Where they came from: keys of an endpoint that the signer no longer has are not kept. */
  readonly url: string
  readonly jwks: string
  readonly fetchedAt: number
}

/**
 * Keeps the keys of a signer unless newer ones are kept already; answers whether they were kept. Other nodes are told only when the keys
 * themselves have changed, not each time they are found to be the same.
 */
const storeSignerKeys: WriteOperation<FetchedKeys, boolean> = async (context, { signerId, url, jwks, fetchedAt }) => {
  const { db } = context
  const owner = await findOwner(context, signerId)
  if (owner?.endpoint !== url) return false
  const { entity, table } = owner
  const kept = await db.selectFrom(table).selectAll().where('signer_id', '=', signerId).executeTakeFirst()
  const values = { url, jwks, fetched_at: fetchedAt }
  const written = await db
    .insertInto(table)
    .values({ signer_id: signerId, ...values })
    // Decided in the statement itself, since another node may write at the same time. A set from the future was kept
    // while a clock was wrong: it must not stand in the way for as long as that.
    .onConflict((conflict) =>
      conflict
        .column('signer_id')
        .doUpdateSet(values)
        .where(({ eb, or }) =>
          or([
            eb(`${table}.url`, '!=', url),
            eb(`${table}.fetched_at`, '<', fetchedAt),
            eb(`${table}.fetched_at`, '>', context.now),
          ]),
        ),
    )
    .returning('signer_id')
    .executeTakeFirst()
  if (!written) return false
  const isChanged = kept?.url !== url || kept.jwks !== jwks
  if (isChanged) context.changed({ entity, id: signerId, action: 'updated' })
  return true
}

export const SIGNER_KEY_WRITES = { 'signerKeys.store': storeSignerKeys }

interface KeyOwner {
  readonly entity: 'externalJwtSigners' | 'identityProviders'
  readonly table: 'signer_key_sets' | 'identity_provider_key_sets'
  readonly endpoint: string | null
}

async function findOwner({ db }: WriteContext, id: string): Promise<KeyOwner | undefined> {
  const signer = await db.selectFrom('ext_jwt_signers').select('jwks_endpoint').where('id', '=', id).executeTakeFirst()
  if (signer) return { entity: 'externalJwtSigners', table: 'signer_key_sets', endpoint: signer.jwks_endpoint }
  const provider = await db.selectFrom('identity_providers').select('jwks_uri').where('id', '=', id).executeTakeFirst()
  return provider && { entity: 'identityProviders', table: 'identity_provider_key_sets', endpoint: provider.jwks_uri }
}
