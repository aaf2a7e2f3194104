import { type Kysely, sql } from 'kysely'
import { readJsonColumn } from '../json-column.ts'
import {
  type KeyEndpoint,
  type KeySigner,
  keyEndpoint,
  keyOwnerOf,
  type StoredKeySet,
  signalKeysId,
} from '../key-signer.ts'
import { prepared } from '../prepared.ts'
import type { Database, SignerRow } from '../schema.ts'
import type { SignerCertificateFacts } from '../signer-row.ts'
import type { Store } from '../store.ts'

/** A signer with its stored key set, if any. */
export interface LoadedKeySigner {
  readonly signer: KeySigner
  /** Its certificates, by fingerprint, and when they expire. */
  readonly certificateEnds: ReadonlyMap<string, number>
  readonly keySet: StoredKeySet | undefined
}

const PAGE = 200
const noText = sql<string | null>`null`

const selectSigners = ({ db }: Pick<Store, 'db'>) =>
  db
    .selectFrom('ext_jwt_signers as signer')
    .leftJoin('signer_key_sets as set', 'set.signer_id', 'signer.id')
    .select(['signer.id', 'signer.enabled', 'signer.revision', 'signer.jwks_endpoint'])
    .select(['signer.jwks_ca_pem', 'signer.cert_pem', 'signer.fingerprint', 'signer.not_after', 'signer.kid'])
    .select(['signer.is_trusted', 'signer.written_by_id'])
    .select([
      'signer.jwks',
      'signer.cert_pems',
      'signer.certificates',
      'signer.pushed_keys',
      'signer.jwks_authorization',
    ])
    .select(['signer.pinned_key_thumbprints', 'signer.require_key_continuity'])
    .select([
      noText.as('organization_id'),
      noFlag.as('is_paused'),
      'set.url',
      'set.ca_digest',
      'set.jwks as set_jwks',
      'set.fetched_at',
      'set.pending_jwks',
    ])

const noTime = sql<number | null>`null`
const noFlag = sql<SignerRow['is_trusted'] | null>`null`

/** The members of a signer that other owners of keys do not have. */
const NO_SOURCES = [
  noText.as('jwks'),
  noText.as('cert_pems'),
  noText.as('certificates'),
  noText.as('pushed_keys'),
  noText.as('jwks_authorization'),
  noText.as('pinned_key_thumbprints'),
  noFlag.as('require_key_continuity'),
]

/** The keys of security events are managed like those of tokens. */
const selectSignals = ({ db }: Pick<Store, 'db'>) =>
  db
    .selectFrom('ext_jwt_signers as signer')
    .leftJoin('signal_key_sets as set', 'set.signer_id', 'signer.id')
    .select(['signer.id', 'signer.enabled', 'signer.revision', 'signer.signals_jwks_uri as jwks_endpoint'])
    .select(['signer.jwks_ca_pem', noText.as('cert_pem'), noText.as('fingerprint')])
    .select([noTime.as('not_after'), noText.as('kid')])
    .select(['signer.is_trusted', 'signer.written_by_id'])
    .select([
      noText.as('organization_id'),
      noFlag.as('is_paused'),
      'set.url',
      'set.ca_digest',
      'set.jwks as set_jwks',
      'set.fetched_at',
      'set.pending_jwks',
    ])
    .select(NO_SOURCES)
    .where('signer.signals_jwks_uri', 'is not', null)

/** The key sets of identity providers are managed like those of signers. */
const selectProviders = ({ db }: Pick<Store, 'db'>) =>
  db
    .selectFrom('identity_providers as signer')
    .innerJoin('organizations as organization', 'organization.id', 'signer.organization_id')
    .leftJoin('identity_provider_key_sets as set', 'set.signer_id', 'signer.id')
    .select(['signer.id', 'signer.enabled', 'signer.revision'])
    .select((eb) => eb('organization.active', '=', false).$castTo<SignerRow['is_trusted'] | null>().as('is_paused'))
    .select((eb) => eb.ref('signer.jwks_uri').$castTo<string | null>().as('jwks_endpoint'))
    .select([noText.as('jwks_ca_pem'), noText.as('cert_pem'), noText.as('fingerprint')])
    .select([noTime.as('not_after'), noText.as('kid')])
    .select([noFlag.as('is_trusted'), noText.as('written_by_id')])
    .select((eb) => eb.ref('signer.organization_id').$castTo<string | null>().as('organization_id'))
    .select(['set.url', 'set.ca_digest', 'set.jwks as set_jwks', 'set.fetched_at', 'set.pending_jwks'])
    .select(NO_SOURCES)

type Row = Awaited<ReturnType<ReturnType<typeof selectProviders>['execute']>>[number]

const signerById = prepared(1, (db, id: string) => selectSigners({ db }).where('signer.id', '=', id))
const signalsById = prepared(1, (db, id: string) => selectSignals({ db }).where('signer.id', '=', id))
const providerById = prepared(1, (db, id: string) => selectProviders({ db }).where('signer.id', '=', id))

const first = (rows: readonly Row[]): Row | undefined => rows[0]

export async function loadKeySigner({ db }: Pick<Store, 'db'>, id: string): Promise<LoadedKeySigner | undefined> {
  const owner = keyOwnerOf(id)
  if (owner !== id) {
    const [signals] = await signalsById(db, owner)
    return signals && signalsFromRow(signals)
  }
  const row = first(await signerById(db, id)) ?? first(await providerById(db, id))
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
      jwks: jsonOf(row.jwks, null),
      certPems: jsonOf(row.cert_pems, null),
      pushedKeys: jsonOf(row.pushed_keys, null),
      jwksAuthorization: row.jwks_authorization,
      pinnedKeyThumbprints: jsonOf(row.pinned_key_thumbprints, []),
      requireKeyContinuity: Boolean(row.require_key_continuity),
    },
    certificateEnds: certificateEnds(row),
    keySet: keySetFromRow(row),
  }
}

function jsonOf<Value>(cell: string | null, absent: Value): Value {
  return cell === null ? absent : readJsonColumn<Value>(cell)
}

function certificateEnds({ fingerprint, not_after: notAfter, certificates }: Row): Map<string, number> {
  const several = jsonOf<readonly SignerCertificateFacts[]>(certificates, [])
  const ends = several.map((each) => [each.fingerprint, each.notAfter] as const)
  return new Map(notAfter === null ? ends : [[fingerprint ?? '', notAfter], ...ends])
}

function keySetFromRow(row: Row): StoredKeySet | undefined {
  const { url, ca_digest: caDigest, set_jwks: jwks, fetched_at: fetchedAt, pending_jwks: pendingJwks } = row
  if (url === null || caDigest === null || jwks === null || fetchedAt === null) return undefined
  return { url, caDigest, jwks, fetchedAt, pendingJwks }
}

/** The owner of a key set, and the table that stores it. */
export interface KeySetOwner {
  readonly entity: 'externalJwtSigners' | 'identityProviders'
  readonly table: 'signer_key_sets' | 'signal_key_sets' | 'identity_provider_key_sets'
  /** The id in that table. */
  readonly ownerId: string
  readonly endpoint: KeyEndpoint | undefined
  /** Whether a set that shares no key with the stored one waits. */
  readonly requiresContinuity: boolean
}

export async function findKeySetOwner(db: Kysely<Database>, id: string): Promise<KeySetOwner | undefined> {
  const ownerId = keyOwnerOf(id)
  const isOfSignals = ownerId !== id
  const signer = await db
    .selectFrom('ext_jwt_signers')
    .select([isOfSignals ? 'signals_jwks_uri as url' : 'jwks_endpoint as url', 'jwks_ca_pem as caPem'])
    .select('require_key_continuity as requiresContinuity')
    .where('id', '=', ownerId)
    .executeTakeFirst()
  if (signer) {
    const endpoint = signer.url === null ? undefined : keyEndpoint(signer.url, signer.caPem)
    const table = isOfSignals ? 'signal_key_sets' : 'signer_key_sets'
    const requiresContinuity = !isOfSignals && Boolean(signer.requiresContinuity)
    return { entity: 'externalJwtSigners', table, ownerId, endpoint, requiresContinuity }
  }
  const provider = await db.selectFrom('identity_providers').select('jwks_uri').where('id', '=', id).executeTakeFirst()
  if (!provider) return undefined
  const endpoint = keyEndpoint(provider.jwks_uri, undefined)
  const table = 'identity_provider_key_sets'
  return { entity: 'identityProviders', table, ownerId, endpoint, requiresContinuity: false }
}

/** A stored key set, with what decides about the next one. */
export interface KeySetState extends StoredKeySet {
  /** JSON; null for a set of an earlier release. */
  readonly goodThumbprints: string | null
}

export async function findStoredKeySet(
  db: Kysely<Database>,
  { table, ownerId }: Pick<KeySetOwner, 'table' | 'ownerId'>,
): Promise<KeySetState | undefined> {
  return db
    .selectFrom(table)
    .select(['url', 'ca_digest as caDigest', 'jwks', 'good_thumbprints as goodThumbprints'])
    .select(['pending_jwks as pendingJwks', 'fetched_at as fetchedAt'])
    .where('signer_id', '=', ownerId)
    .executeTakeFirst()
}
