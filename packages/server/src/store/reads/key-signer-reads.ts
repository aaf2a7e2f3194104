import { type Kysely, sql } from 'kysely'
import {
  type KeyEndpoint,
  type KeySigner,
  keyEndpoint,
  keyOwnerOf,
  type StoredKeySet,
  signalKeysId,
} from '../key-signer.ts'
import type { Database, SignerRow } from '../schema.ts'
import type { Store } from '../store.ts'

/** A signer with its stored key set, if any. */
export interface LoadedKeySigner {
  readonly signer: KeySigner
  /** When its certificate expires; null without one. */
  readonly certificateEndsAt: number | null
  readonly keySet: StoredKeySet | undefined
}

const PAGE = 200
const noText = sql<string | null>`null`

const selectSigners = ({ db }: Store) =>
  db
    .selectFrom('ext_jwt_signers as signer')
    .leftJoin('signer_key_sets as set', 'set.signer_id', 'signer.id')
    .select(['signer.id', 'signer.enabled', 'signer.revision', 'signer.jwks_endpoint'])
    .select(['signer.jwks_ca_pem', 'signer.cert_pem', 'signer.not_after', 'signer.kid'])
    .select(['signer.is_trusted', 'signer.written_by_id'])
    .select([
      noText.as('organization_id'),
      noFlag.as('is_paused'),
      'set.url',
      'set.ca_digest',
      'set.jwks',
      'set.fetched_at',
    ])

/** The keys of security events are managed like those of tokens. */
const selectSignals = ({ db }: Store) =>
  db
    .selectFrom('ext_jwt_signers as signer')
    .leftJoin('signal_key_sets as set', 'set.signer_id', 'signer.id')
    .select(['signer.id', 'signer.enabled', 'signer.revision', 'signer.signals_jwks_uri as jwks_endpoint'])
    .select(['signer.jwks_ca_pem', noText.as('cert_pem'), noTime.as('not_after'), noText.as('kid')])
    .select(['signer.is_trusted', 'signer.written_by_id'])
    .select([
      noText.as('organization_id'),
      noFlag.as('is_paused'),
      'set.url',
      'set.ca_digest',
      'set.jwks',
      'set.fetched_at',
    ])
    .where('signer.signals_jwks_uri', 'is not', null)

const noTime = sql<number | null>`null`
const noFlag = sql<SignerRow['is_trusted'] | null>`null`

/** The key sets of identity providers are managed like those of signers. */
const selectProviders = ({ db }: Store) =>
  db
    .selectFrom('identity_providers as signer')
    .innerJoin('organizations as organization', 'organization.id', 'signer.organization_id')
    .leftJoin('identity_provider_key_sets as set', 'set.signer_id', 'signer.id')
    .select(['signer.id', 'signer.enabled', 'signer.revision'])
    .select((eb) => eb('organization.active', '=', false).$castTo<SignerRow['is_trusted'] | null>().as('is_paused'))
    .select((eb) => eb.ref('signer.jwks_uri').$castTo<string | null>().as('jwks_endpoint'))
    .select([noText.as('jwks_ca_pem'), noText.as('cert_pem'), noTime.as('not_after'), noText.as('kid')])
    .select([noFlag.as('is_trusted'), noText.as('written_by_id')])
    .select((eb) => eb.ref('signer.organization_id').$castTo<string | null>().as('organization_id'))
    .select(['set.url', 'set.ca_digest', 'set.jwks', 'set.fetched_at'])

type Row = Awaited<ReturnType<ReturnType<typeof selectProviders>['execute']>>[number]

export async function loadKeySigner(store: Store, id: string): Promise<LoadedKeySigner | undefined> {
  const owner = keyOwnerOf(id)
  if (owner !== id) {
    const signals = await selectSignals(store).where('signer.id', '=', owner).executeTakeFirst()
    return signals && signalsFromRow(signals)
  }
  const row =
    (await selectSigners(store).where('signer.id', '=', id).executeTakeFirst()) ??
    (await selectProviders(store).where('signer.id', '=', id).executeTakeFirst())
  return row && fromRow(row)
}

/** All enabled signers and identity providers, in pages, so that thousands of them block nothing else. */
export async function* loadKeySigners(store: Store): AsyncGenerator<LoadedKeySigner[]> {
  yield* inPages((last) =>
    selectSigners(store)
      .where('signer.id', '>', last)
      .where('signer.enabled', '=', true)
      .orderBy('signer.id')
      .limit(PAGE)
      .execute(),
  )
  yield* inPages(
    (last) =>
      selectSignals(store)
        .where('signer.id', '>', last)
        .where('signer.enabled', '=', true)
        .orderBy('signer.id')
        .limit(PAGE)
        .execute(),
    signalsFromRow,
  )
  yield* inPages((last) =>
    selectProviders(store)
      .where('signer.id', '>', last)
      .where('signer.enabled', '=', true)
      .orderBy('signer.id')
      .limit(PAGE)
      .execute(),
  )
}

async function* inPages(
  load: (last: string) => Promise<Row[]>,
  read: (row: Row) => LoadedKeySigner = fromRow,
): AsyncGenerator<LoadedKeySigner[]> {
  for (let last = ''; ; ) {
    const rows = await load(last)
    yield rows.map(read)
    const end = rows.at(-1)
    if (!end || rows.length < PAGE) return
    last = end.id
  }
}

function signalsFromRow(row: Row): LoadedKeySigner {
  const loaded = fromRow(row)
  return { ...loaded, signer: { ...loaded.signer, id: signalKeysId(row.id) } }
}

function fromRow(row: Row): LoadedKeySigner {
  const { id, revision, kid, is_trusted: isTrusted } = row
  return {
    signer: {
      id,
      organizationId: row.organization_id ?? undefined,
      trust: isTrusted === null ? undefined : { isTrusted: Boolean(isTrusted), writtenById: row.written_by_id },
      enabled: Boolean(row.enabled),
      isPaused: Boolean(row.is_paused),
      revision,
      jwksEndpoint: row.jwks_endpoint,
      jwksCaPem: row.jwks_ca_pem,
      certPem: row.cert_pem,
      kid,
    },
    certificateEndsAt: row.not_after,
    keySet: keySetFromRow(row),
  }
}

function keySetFromRow({ url, ca_digest: caDigest, jwks, fetched_at: fetchedAt }: Row): StoredKeySet | undefined {
  if (url === null || caDigest === null || jwks === null || fetchedAt === null) return undefined
  return { url, caDigest, jwks, fetchedAt }
}

/** The owner of a key set, and the table that stores it. */
export interface KeySetOwner {
  readonly entity: 'externalJwtSigners' | 'identityProviders'
  readonly table: 'signer_key_sets' | 'signal_key_sets' | 'identity_provider_key_sets'
  /** The id in that table. */
  readonly ownerId: string
  readonly endpoint: KeyEndpoint | undefined
}

export async function findKeySetOwner(db: Kysely<Database>, id: string): Promise<KeySetOwner | undefined> {
  const ownerId = keyOwnerOf(id)
  const isOfSignals = ownerId !== id
  const signer = await db
    .selectFrom('ext_jwt_signers')
    .select([isOfSignals ? 'signals_jwks_uri as url' : 'jwks_endpoint as url', 'jwks_ca_pem as caPem'])
    .where('id', '=', ownerId)
    .executeTakeFirst()
  if (signer) {
    const endpoint = signer.url === null ? undefined : keyEndpoint(signer.url, signer.caPem)
    const table = isOfSignals ? 'signal_key_sets' : 'signer_key_sets'
    return { entity: 'externalJwtSigners', table, ownerId, endpoint }
  }
  const provider = await db.selectFrom('identity_providers').select('jwks_uri').where('id', '=', id).executeTakeFirst()
  if (!provider) return undefined
  const endpoint = keyEndpoint(provider.jwks_uri, undefined)
  return { entity: 'identityProviders', table: 'identity_provider_key_sets', ownerId, endpoint }
}

export async function findStoredKeySet(
  db: Kysely<Database>,
  { table, ownerId }: KeySetOwner,
): Promise<Omit<StoredKeySet, 'fetchedAt'> | undefined> {
  return db
    .selectFrom(table)
    .select(['url', 'ca_digest as caDigest', 'jwks'])
    .where('signer_id', '=', ownerId)
    .executeTakeFirst()
}
