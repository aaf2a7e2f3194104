import { sql } from 'kysely'
import { OIDC_SESSION_KEYS } from '../oidc-session-key.ts'
import { prepared } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { deleteSessions, type EndedSession, reportDeleted } from './end-sessions.ts'

/** What a session of an identity needs besides the first factor. */
export interface SecondFactors {
  readonly verifiedTotpId: string | null
  /** Whether its policy requires a second token. */
  readonly needsToken: boolean
  /** Whether its policy requires a passkey. */
  readonly needsPasskey: boolean
}

/**
 * The sessions to end are searched among this many: the least recently used one among the oldest, incomplete ones among the newest. A bound for
 * limits above the default.
 */
const MAX_COMPARED = 1_000
const SURPLUS_BATCH = 100

const leastUsed = prepared(1, (db, identityId: string) =>
  db
    .selectFrom((oldest) =>
      oldest
        .selectFrom('api_sessions')
        .select(['id', 'identity_id', 'ip_address', 'last_activity_at', 'created_at'])
        .where('identity_id', '=', identityId)
        .orderBy('created_at')
        .limit(MAX_COMPARED)
        .as('oldest'),
    )
    .select(['id', 'identity_id', 'ip_address', 'last_activity_at'])
    .orderBy('last_activity_at')
    .orderBy('created_at')
    .orderBy('id', 'desc')
    .limit(SURPLUS_BATCH),
)

const deleteIfIdle = prepared(2, (db, id: string, lastActivityAt: number) =>
  db
    .deleteFrom('api_sessions')
    .where('id', '=', id)
    .where('last_activity_at', '=', lastActivityAt)
    .returning(['id', 'identity_id', 'ip_address']),
)

/**
 * Whether a session lacks a second factor. One of the OpenID provider has tokens only when nothing is missing. `totpId` is empty when there are no
 * verified codes.
 */
const isIncomplete = (totpId: string, needsToken: number, needsPasskey: number) => sql<boolean>`case
  when token_digest like ${sql.lit(OIDC_SESSION_KEYS)}
    then not exists (select 1 from oidc_sessions where oidc_sessions.session_id = sessions.id)
  else (${totpId} <> '' and coalesce(passed_totp_id, '') <> ${totpId}) or (${needsToken} = 1 and updated_at <= created_at)
    or (${needsPasskey} = 1 and method <> 'passkey' and passed_passkey_id is null)
end`

const incompleteOnes = prepared(4, (db, identityId: string, totpId: string, needsToken: number, needsPasskey: number) =>
  db
    .selectFrom((newest) =>
      newest
        .selectFrom('api_sessions')
        .selectAll()
        .where('identity_id', '=', identityId)
        .orderBy('created_at', 'desc')
        .limit(MAX_COMPARED)
        .as('sessions'),
    )
    .select(['id', 'identity_id', 'ip_address'])
    .where(isIncomplete(totpId, needsToken, needsPasskey))
    .orderBy('created_at')
    .orderBy('id')
    .limit(SURPLUS_BATCH),
)

const incompleteOne = prepared(4, (db, id: string, totpId: string, needsToken: number, needsPasskey: number) =>
  db
    .selectFrom('api_sessions as sessions')
    .select(['id', 'identity_id', 'ip_address'])
    .where('id', '=', id)
    .where(isIncomplete(totpId, needsToken, needsPasskey)),
)

export interface Surplus {
  readonly surplus: number
  readonly secondFactors: SecondFactors | undefined
}

/**
 * Ends sessions of an identity, 100 at most: those that lack a second factor, oldest first, then the least recently used ones. A caller who has only
 * the first factor can so end no complete session. Uses that are not written yet do not count.
 */
export async function endSurplusSessions(
  tx: Transaction,
  identityId: string,
  { surplus, secondFactors }: Surplus,
): Promise<void> {
  const incomplete = secondFactors ? await findIncomplete(tx, identityId, { surplus, secondFactors }) : []
  await deleteSessions(tx, incomplete)
  const ended = await endStillIdle(tx, identityId, surplus - incomplete.length)
  const rest = surplus - incomplete.length - ended
  if (rest > 0) await deleteSessions(tx, await findIdle(tx, identityId, rest))
}

async function findIncomplete(
  { db, idleSessions }: Transaction,
  identityId: string,
  {
    surplus,
    secondFactors: { verifiedTotpId, needsToken, needsPasskey },
  }: Required<Surplus> & { readonly secondFactors: SecondFactors },
): Promise<readonly EndedSession[]> {
  const factors = [verifiedTotpId ?? '', needsToken ? 1 : 0, needsPasskey ? 1 : 0] as const
  const known = idleSessions?.incompleteOf(identityId)
  const found: EndedSession[] = []
  while (known && found.length < surplus && known.ids.length > 0) {
    found.push(...(await incompleteOne(db, known.ids.shift() ?? '', ...factors)))
  }
  if (found.length === surplus) return found
  // Other processes open sessions too: those that this one knows of need not be all.
  const read = await incompleteOnes(db, identityId, ...factors)
  const taken = read.slice(0, surplus)
  const ids = read.slice(surplus).map(({ id }) => id)
  idleSessions?.setIncomplete(identityId, { ids, isWhole: read.length < SURPLUS_BATCH })
  return taken
}

/**
 * Ends the sessions that were the least recently used ones earlier, if they have not been used since: other sessions can only have been used more
 * recently. Returns how many, which is fewer than `count` when not enough are known.
 */
async function endStillIdle(tx: Transaction, identityId: string, count: number): Promise<number> {
  for (let ended = 0; ; ) {
    const known = ended < count && tx.idleSessions?.takeNext(identityId)
    if (!known) return ended
    const deleted = await deleteIfIdle(tx.db, known.id, known.last_activity_at)
    reportDeleted(tx, deleted)
    ended += deleted.length
  }
}

async function findIdle(tx: Transaction, identityId: string, count: number): Promise<readonly EndedSession[]> {
  const { db, idleSessions } = tx
  const idle = await leastUsed(db, identityId)
  idleSessions?.set(identityId, idle.slice(count))
  idleSessions?.setIncomplete(identityId, undefined)
  return idle.slice(0, count)
}
