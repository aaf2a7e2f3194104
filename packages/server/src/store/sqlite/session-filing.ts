import type { DatabaseSync, StatementSync } from 'node:sqlite'

const DEFAULT_ROUND_SIZE = 8_192
/** For each session that a commit starts it files so many, so that a round ends before the next is due. */
const FILED_PER_STARTED = 2

interface SessionFilingOptions {
  /** Others write to the same database. */
  readonly isShared: boolean
  /** How many are filed in one round, in the order of their identities: the more, the more of them share a page. */
  readonly roundSize?: number
}

/**
 * Files new sessions under their identities, in the writer's commits. Those that are not filed yet are remembered here, and maybe some that
 * are not there any more, which does no harm. Where others write too, all are filed in the commit that starts them.
 */
export class SessionFiling {
  readonly #isShared: boolean
  readonly #roundSize: number
  readonly #unfiled = new Map<string, string[]>()
  #unfiledCount = 0
  #startedCount = 0
  /** Identities whose sessions are still to be filed in this round, last first. */
  #round: string[] = []
  #roundEnd = 0
  /** What is filed in the commit that is under way. */
  #filing: { readonly identityId: string; readonly ids: readonly string[] }[] = []
  #movesRound = false
  readonly #insert: StatementSync
  readonly #findNewest: StatementSync
  readonly #setFiledUntil: StatementSync

  constructor(raw: DatabaseSync, { isShared, roundSize = DEFAULT_ROUND_SIZE }: SessionFilingOptions) {
    this.#isShared = isShared
    this.#roundSize = roundSize
    const filed = 'insert or ignore into filed_sessions select identity_id, created_at, id from api_sessions'
    this.#insert = raw.prepare(`${filed} where id in (select value from json_each(?))`)
    this.#findNewest = raw.prepare('select coalesce(max(seq), 0) as seq from api_sessions')
    this.#setFiledUntil = raw.prepare('update session_filing set filed_until = ?')
    for (const { identity_id: identityId, id } of findUnfiled(raw)) this.#add(identityId, [id])
  }

  get hasUnfiled(): boolean {
    return this.#unfiledCount > 0
  }

  noteStarted(identityId: string, sessionId: string): void {
    this.#startedCount += 1
    this.#add(identityId, [sessionId])
  }

  /** From here on in this transaction all sessions of the identity are in `filed_sessions`. */
  fileOf(identityId: string): void {
    this.#file([identityId])
  }

  /** The share of the commit that is about to end. */
  fileSome(): void {
    const started = this.#startedCount
    this.#startedCount = 0
    if (started === 0) return
    if (this.#isShared) this.fileNext(Number.POSITIVE_INFINITY)
    else if (this.#round.length > 0 || this.#unfiledCount >= this.#roundSize) this.fileNext(started * FILED_PER_STARTED)
  }

  /** Goes on with the round, or begins one, until so many are filed or it ends. */
  fileNext(count: number): void {
    if (this.#round.length === 0) this.#beginRound()
    this.#movesRound = true
    const identityIds: string[] = []
    for (let found = 0; found < count; ) {
      const identityId = this.#round.pop()
      if (identityId === undefined) break
      identityIds.push(identityId)
      found += this.#unfiled.get(identityId)?.length ?? 0
    }
    this.#file(identityIds)
    if (this.#round.length === 0) this.#setFiledUntil.run(this.#roundEnd)
  }

  /** What was filed is on the disk. */
  kept(): void {
    this.#filing = []
    this.#movesRound = false
  }

  /** What was filed since then is not. */
  undone(): void {
    for (const { identityId, ids } of this.#filing) this.#add(identityId, ids)
    // Its end may be a session that is undone too, and its number another's.
    if (this.#movesRound) this.#round = []
    this.kept()
  }

  #beginRound(): void {
    this.#roundEnd = (this.#findNewest.get() as { seq: number }).seq
    this.#round = [...this.#unfiled.keys()].sort().reverse()
  }

  #add(identityId: string, ids: readonly string[]): void {
    const known = this.#unfiled.get(identityId)
    if (known) known.push(...ids)
    else this.#unfiled.set(identityId, [...ids])
    this.#unfiledCount += ids.length
  }

  #file(identityIds: readonly string[]): void {
    const sessionIds: string[] = []
    for (const identityId of identityIds) {
      const ids = this.#unfiled.get(identityId)
      if (!ids) continue
      sessionIds.push(...ids)
      this.#unfiled.delete(identityId)
      this.#filing.push({ identityId, ids })
    }
    if (sessionIds.length === 0) return
    this.#unfiledCount -= sessionIds.length
    this.#insert.run(JSON.stringify(sessionIds))
  }
}

/** What an earlier process left. */
function findUnfiled(raw: DatabaseSync): Iterable<{ identity_id: string; id: string }> {
  const unfiled = 'select identity_id, id from api_sessions where seq > (select filed_until from session_filing)'
  return raw.prepare(unfiled).iterate() as Iterable<{ identity_id: string; id: string }>
}
