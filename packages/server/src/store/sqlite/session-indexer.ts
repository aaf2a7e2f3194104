import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { UnindexedSessions } from './unindexed-sessions.ts'

const DEFAULT_BATCH_SIZE = 8_192
/** A commit indexes this many sessions per session that it starts, so that a batch ends before the next is due. */
const INDEXED_PER_STARTED = 2

interface SessionIndexerOptions {
  /** Whether other processes write to the same database. */
  readonly isShared: boolean
  /** Sessions per batch. A batch is indexed in the order of identities: the larger it is, the more sessions share a page. */
  readonly batchSize?: number
}

/** The unindexed sessions at the start of the batch, ordered by identity. */
interface Batch {
  readonly seqs: Float64Array
  indexed: number
  /** The highest `seq`; undefined for an empty batch. */
  readonly end: number | undefined
}

/**
 * Indexes new sessions by identity in the table `filed_sessions`, in batches that are spread over the writer's commits. Holds the unindexed
 * sessions in memory; some of them may be indexed or deleted already, which is harmless. Where other processes write too, a commit indexes all
 * sessions that it starts.
 */
export class SessionIndexer {
  readonly #isShared: boolean
  readonly #batchSize: number
  readonly #unindexed = new UnindexedSessions()
  #startedCount = 0
  #batch: Batch | undefined
  /** What the current transaction has indexed besides its share of the batch. */
  #pending: { readonly identityId: string; readonly seqs: readonly number[] }[] = []
  #advancesBatch = false
  readonly #statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>

  constructor(raw: DatabaseSync, { isShared, batchSize = DEFAULT_BATCH_SIZE }: SessionIndexerOptions) {
    this.#isShared = isShared
    this.#batchSize = batchSize
    this.#statements = {
      index: prepare(raw, STATEMENTS.index),
      findStarted: prepare(raw, STATEMENTS.findStarted),
      findUnindexed: prepare(raw, STATEMENTS.findUnindexed),
      setIndexedUntil: prepare(raw, STATEMENTS.setIndexedUntil),
    }
    // Sessions that an earlier process has not indexed.
    for (const [seq, identityId] of this.#findUnindexed()) this.#unindexed.add(identityId, seq)
  }

  get hasUnindexed(): boolean {
    return this.#unindexed.count > 0
  }

  /** Call directly after inserting a session, before any other insert. */
  noteStarted(identityId: string): void {
    const [seq] = this.#statements.findStarted.get() as unknown as [number]
    this.#unindexed.add(identityId, seq)
    this.#startedCount += 1
  }

  /** Indexes all sessions of an identity in the current transaction. */
  indexIdentity(identityId: string): void {
    const seqs = this.#unindexed.take(identityId)
    if (seqs.length === 0) return
    this.#pending.push({ identityId, seqs })
    this.#index(seqs)
  }

  /** Indexes the share of the transaction that is about to commit. */
  beforeCommit(): void {
    const started = this.#startedCount
    this.#startedCount = 0
    if (started === 0) return
    if (this.#isShared) this.indexNext(Number.POSITIVE_INFINITY)
    else if (this.#batch || this.#unindexed.count >= this.#batchSize) this.indexNext(started * INDEXED_PER_STARTED)
  }

  /** Indexes up to `count` sessions of the current batch, starting a batch if there is none. */
  indexNext(count: number): void {
    this.#advancesBatch = true
    this.#batch ??= this.#startBatch()
    const { seqs, indexed, end } = this.#batch
    this.#batch.indexed = Math.min(indexed + count, seqs.length)
    this.#index([...seqs.subarray(indexed, this.#batch.indexed)])
    if (this.#batch.indexed === seqs.length && end !== undefined) this.#statements.setIndexedUntil.run(end)
  }

  afterCommit(): void {
    this.#pending = []
    if (!this.#advancesBatch) return
    this.#advancesBatch = false
    if (!this.#batch || this.#batch.indexed < this.#batch.seqs.length) return
    this.#unindexed.dropUntil(this.#batch.end ?? Number.POSITIVE_INFINITY)
    this.#batch = undefined
  }

  afterRollback(): void {
    for (const { identityId, seqs } of this.#pending) for (const seq of seqs) this.#unindexed.add(identityId, seq)
    this.#pending = []
    // The last session of the batch may be rolled back too, and its `seq` used again for another.
    if (this.#advancesBatch) this.#batch = undefined
    this.#advancesBatch = false
  }

  #startBatch(): Batch {
    const seqs: number[] = []
    let end: number | undefined
    for (const [seq] of this.#findUnindexed()) {
      seqs.push(seq)
      end = Math.max(end ?? seq, seq)
    }
    return { seqs: Float64Array.from(seqs), indexed: 0, end }
  }

  #findUnindexed(): Iterable<[seq: number, identityId: string]> {
    return this.#statements.findUnindexed.iterate() as unknown as Iterable<[number, string]>
  }

  #index(seqs: readonly number[]): void {
    this.#statements.index.run(JSON.stringify(seqs))
  }
}

const STATEMENTS = {
  index: `insert or ignore into filed_sessions select identity_id, created_at, id from api_sessions
    where seq in (select value from json_each(?))`,
  findStarted: 'select last_insert_rowid()',
  findUnindexed: `select seq, identity_id from api_sessions
    where seq > (select filed_until from session_filing) order by identity_id`,
  setIndexedUntil: 'update session_filing set filed_until = ?',
} as const

/** Rows as arrays: the row objects of `node:sqlite` survive until a major garbage collection. */
function prepare(raw: DatabaseSync, text: string): StatementSync {
  const statement = raw.prepare(text)
  statement.setReturnArrays(true)
  return statement
}
