import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { UnfiledSessions } from './unfiled-sessions.ts'

const DEFAULT_ROUND_SIZE = 8_192
/** For each session that a commit starts it files so many, so that a round ends before the next is due. */
const FILED_PER_STARTED = 2

interface SessionFilingOptions {
  /** Others write to the same database. */
  readonly isShared: boolean
  /** How many are filed in one round, in the order of their identities: the more, the more of them share a page. */
  readonly roundSize?: number
}

/** The sessions that there are when it begins, in the order of their identities. */
interface Round {
  readonly seqs: Float64Array
  filed: number
  /** The highest number of them; undefined when there are none. */
  readonly end: number | undefined
}

/**
 * Files new sessions under their identities, in the writer's commits. Those that are not filed yet are remembered here, and maybe some that
 * are filed or not there any more, which does no harm. Where others write too, all are filed in the commit that starts them.
 */
export class SessionFiling {
  readonly #isShared: boolean
  readonly #roundSize: number
  readonly #unfiled = new UnfiledSessions()
  #startedCount = 0
  #round: Round | undefined
  /** What is filed in the commit that is under way, beside its share of the round. */
  #filing: { readonly identityId: string; readonly seqs: readonly number[] }[] = []
  #movesRound = false
  readonly #statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>

  constructor(raw: DatabaseSync, { isShared, roundSize = DEFAULT_ROUND_SIZE }: SessionFilingOptions) {
    this.#isShared = isShared
    this.#roundSize = roundSize
    this.#statements = {
      file: prepare(raw, STATEMENTS.file),
      findStarted: prepare(raw, STATEMENTS.findStarted),
      findUnfiled: prepare(raw, STATEMENTS.findUnfiled),
      setFiledUntil: prepare(raw, STATEMENTS.setFiledUntil),
    }
    // What an earlier process left.
    for (const [seq, identityId] of this.#findUnfiled()) this.#unfiled.add(identityId, seq)
  }

  get hasUnfiled(): boolean {
    return this.#unfiled.count > 0
  }

  /** To be called when a session was inserted, and before anything else is. */
  noteStarted(identityId: string): void {
    const [seq] = this.#statements.findStarted.get() as unknown as [number]
    this.#unfiled.add(identityId, seq)
    this.#startedCount += 1
  }

  /** From here on in this transaction all sessions of the identity are in `filed_sessions`. */
  fileOf(identityId: string): void {
    const seqs = this.#unfiled.take(identityId)
    if (seqs.length === 0) return
    this.#filing.push({ identityId, seqs })
    this.#file(seqs)
  }

  /** The share of the commit that is about to end. */
  fileSome(): void {
    const started = this.#startedCount
    this.#startedCount = 0
    if (started === 0) return
    if (this.#isShared) this.fileNext(Number.POSITIVE_INFINITY)
    else if (this.#round || this.#unfiled.count >= this.#roundSize) this.fileNext(started * FILED_PER_STARTED)
  }

  /** Goes on with the round, or begins one, until so many are filed or it ends. */
  fileNext(count: number): void {
    this.#movesRound = true
    this.#round ??= this.#beginRound()
    const { seqs, filed, end } = this.#round
    this.#round.filed = Math.min(filed + count, seqs.length)
    this.#file([...seqs.subarray(filed, this.#round.filed)])
    if (this.#round.filed === seqs.length && end !== undefined) this.#statements.setFiledUntil.run(end)
  }

  /** What was filed is on the disk. */
  kept(): void {
    this.#filing = []
    if (!this.#movesRound) return
    this.#movesRound = false
    if (!this.#round || this.#round.filed < this.#round.seqs.length) return
    this.#unfiled.dropUntil(this.#round.end ?? Number.POSITIVE_INFINITY)
    this.#round = undefined
  }

  /** What was filed since then is not. */
  undone(): void {
    for (const { identityId, seqs } of this.#filing) for (const seq of seqs) this.#unfiled.add(identityId, seq)
    this.#filing = []
    // Its end may be a session that is undone too, and its number another's.
    if (this.#movesRound) this.#round = undefined
    this.#movesRound = false
  }

  #beginRound(): Round {
    const seqs: number[] = []
    let end: number | undefined
    for (const [seq] of this.#findUnfiled()) {
      seqs.push(seq)
      end = Math.max(end ?? seq, seq)
    }
    return { seqs: Float64Array.from(seqs), filed: 0, end }
  }

  #findUnfiled(): Iterable<[seq: number, identityId: string]> {
    return this.#statements.findUnfiled.iterate() as unknown as Iterable<[number, string]>
  }

  #file(seqs: readonly number[]): void {
    this.#statements.file.run(JSON.stringify(seqs))
  }
}

const STATEMENTS = {
  file: `insert or ignore into filed_sessions select identity_id, created_at, id from api_sessions
    where seq in (select value from json_each(?))`,
  findStarted: 'select last_insert_rowid()',
  findUnfiled: `select seq, identity_id from api_sessions
    where seq > (select filed_until from session_filing) order by identity_id`,
  setFiledUntil: 'update session_filing set filed_until = ?',
} as const

/** The library's own objects for rows live until V8 clears up everything. */
function prepare(raw: DatabaseSync, text: string): StatementSync {
  const statement = raw.prepare(text)
  statement.setReturnArrays(true)
  return statement
}
