import type { Compilable, Kysely } from 'kysely'
import type { Database, KeptLoginRow } from '../schema.ts'
import type { Store } from '../store.ts'

/** Names a kept login. The claims of many are read in portions: they can be long. */
export type KeptLoginKey = Pick<KeptLoginRow, 'signer_id' | 'digest'>

const KEY = ['signer_id', 'digest'] as const

/** The logins with these keys that are still kept, in their order. */
export async function loadKeptLogins(db: Kysely<Database>, keys: readonly KeptLoginKey[]): Promise<KeptLoginRow[]> {
  if (keys.length === 0) return []
  const rows = await db
    .selectFrom('kept_logins')
    .selectAll()
    .where(({ eb, or, and }) =>
      or(
        [...Map.groupBy(keys, (key) => key.signer_id)].map(([signerId, own]) => {
          const digests = own.map(({ digest }) => digest)
          return and([eb('signer_id', '=', signerId), eb('digest', 'in', digests)])
        }),
      ),
    )
    .execute()
  const nameOf = (key: KeptLoginKey) => `${key.signer_id} ${key.digest}`
  const byName = new Map(rows.map((row) => [nameOf(row), row]))
  return keys.flatMap((key) => byName.get(nameOf(key)) ?? [])
}

interface LatestLogins {
  /** Takes turns with others. */
  readonly caller: string
  readonly since: number
  readonly limit: number
  readonly firstSignerIds: readonly string[]
}

/** The latest logins since `since`, those of `firstSignerIds` before others. */
export async function findLatestLogins(
  store: Pick<Store, 'db' | 'readLong'>,
  { caller, since, limit, firstSignerIds }: LatestLogins,
): Promise<KeptLoginKey[]> {
  const read = (query: Compilable<KeptLoginKey>) => store.readLong<KeptLoginKey>(caller, query.compile())
  const latest = (count: number) =>
    store.db
      .selectFrom('kept_logins')
      .select(KEY)
      .where('at', '>=', since)
      .orderBy('at', 'desc')
      .orderBy('digest')
      .limit(count)
  if (firstSignerIds.length === 0) return read(latest(limit))
  const first = await read(latest(limit).where('signer_id', 'in', firstSignerIds))
  if (first.length >= limit) return first
  const others = await read(latest(limit - first.length).where('signer_id', 'not in', firstSignerIds))
  return [...first, ...others]
}

/** The latest logins of a signer with this outcome. */
export function findLoginsOfSigner(
  db: Kysely<Database>,
  { signerId, outcome, limit }: { readonly signerId: string; readonly outcome: string; readonly limit: number },
): Promise<KeptLoginKey[]> {
  const ofSigner = db.selectFrom('kept_logins').select(KEY).where('signer_id', '=', signerId)
  return ofSigner.where('outcome', '=', outcome).orderBy('at', 'desc').limit(limit).execute()
}

/**
 * The accepted logins of administrators since `since`, latest first. A refused one says nothing about the next one: it may be that of a thief, and of an
 * untrusted signer there can be any number.
 */
export function findLoginsOfAdministrators(
  db: Kysely<Database>,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<(KeptLoginKey & Pick<KeptLoginRow, 'identity_id'>)[]> {
  return db
    .selectFrom('kept_logins')
    .select([...KEY, 'identity_id'])
    .where('identity_id', 'in', (eb) => eb.selectFrom('identities').select('id').where('is_admin', '=', true))
    .where('outcome', '=', 'accepted')
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .orderBy('digest')
    .limit(limit)
    .execute()
}
