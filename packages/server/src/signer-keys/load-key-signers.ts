import type { Store } from '../store/store.ts'
import type { KeySigner } from './key-signer.ts'
import type { StoredKeySet } from './stored-key-set.ts'

/** A signer with the keys that are stored for it, if any. */
export interface LoadedKeySigner {
  readonly signer: KeySigner
  readonly keySet: StoredKeySet | undefined
}

const COLUMNS = [
  'ext_jwt_signers.id',
  'ext_jwt_signers.enabled',
  'ext_jwt_signers.revision',
  'ext_jwt_signers.jwks_endpoint',
  'ext_jwt_signers.jwks_ca_pem',
  'ext_jwt_signers.cert_pem',
  'ext_jwt_signers.kid',
  'signer_key_sets.url',
  'signer_key_sets.jwks',
  'signer_key_sets.fetched_at',
] as const

const PAGE = 200

function select({ db }: Store) {
  return db
    .selectFrom('ext_jwt_signers')
    .leftJoin('signer_key_sets', 'signer_key_sets.signer_id', 'ext_jwt_signers.id')
    .select(COLUMNS)
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number]

export async function loadKeySigner(store: Store, id: string): Promise<LoadedKeySigner | undefined> {
  const row = await select(store).where('ext_jwt_signers.id', '=', id).executeTakeFirst()
  return row && fromRow(row)
}

/** Every enabled signer, in pages, so that thousands of them hold nothing up. */
export async function* loadKeySigners(store: Store): AsyncGenerator<LoadedKeySigner[]> {
  for (let last = ''; ; ) {
    const rows = await select(store)
      .where('ext_jwt_signers.id', '>', last)
      .where('ext_jwt_signers.enabled', '=', true)
      .orderBy('ext_jwt_signers.id')
      .limit(PAGE)
      .execute()
    yield rows.map(fromRow)
    const end = rows.at(-1)
    if (!end || rows.length < PAGE) return
    last = end.id
  }
}

function fromRow(row: Row): LoadedKeySigner {
  const { id, revision, kid, url, jwks, fetched_at: fetchedAt } = row
  return {
    signer: {
      id,
      enabled: Boolean(row.enabled),
      revision,
      jwksEndpoint: row.jwks_endpoint,
      jwksCaPem: row.jwks_ca_pem,
      certPem: row.cert_pem,
      kid,
    },
    keySet: url === null || jwks === null || fetchedAt === null ? undefined : { url, jwks, fetchedAt },
  }
}
