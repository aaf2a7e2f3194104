import { IdleSessions } from '../idle-sessions.ts'
import type { AnyOperation } from '../operation.ts'
import type { OperationMeta } from '../operation-meta.ts'
import { type OpenTransaction, type OperationRun, runOperation } from '../run-operation.ts'
import { insertEntries } from '../writes/change-log-writes.ts'
import { type NewRecord, pendingRecordQueries } from '../writes/record-writes.ts'
import type { ClientPool } from './client-pool.ts'
import { isUnavailable } from './connection-error.ts'
import type { LoggedChanges } from './notification.ts'
import type { PostgresClient } from './postgres-client.ts'
import type { Committed } from './published-writes.ts'

interface Write {
  readonly operation: AnyOperation
  readonly args: unknown
  readonly meta: OperationMeta
  resolve(committed: Committed): void
  reject(error: unknown): void
}

interface LaneOptions {
  /** Each runs one group at a time. */
  readonly connections: readonly ClientPool[]
  readonly maxGroup: number
  /** Acquires what the operations of a group need until its commit: `select` and a function. */
  readonly lockStatement: string
  /**
   * Whether operations of different actors run at the same time in the transaction, so that their statements share round trips. Only for
   * operations that read nothing that those of other actors change.
   */
  readonly isConcurrent: boolean
  /** The statements that publish changes with the commit. */
  notify(changes: LoggedChanges): readonly { readonly text: string; readonly values: readonly unknown[] }[]
}

/** PostgreSQL looks for deadlocks only after a second, in which all logins and changes would wait. */
const MAX_LOCK_WAIT_MS = 200

/** Refused writes come in bursts: this many groups of changes after one run with savepoints at once. */
const SAVEPOINT_GROUPS_AFTER_FAILURE = 50

/** Bounds the waits for rows after the lock of the lane, for which the transaction waits as long as it takes. */
const withBoundedWaits = (lockStatement: string): string =>
  `${lockStatement}, set_config('lock_timeout', '${MAX_LOCK_WAIT_MS}', true)`

/** Runs operations that arrive together in one transaction: they share the lock, the commit and its notification. */
export class WriteLane {
  readonly #options: LaneOptions
  readonly #free: ClientPool[]
  readonly #idleSessions = new IdleSessions()
  readonly #waiting: Write[] = []
  /** Operations that have a transaction of their own. */
  readonly #waitingAlone: Write[] = []
  #wasAlone = false
  #savepointGroups = 0
  #isStarting = false

  constructor(options: LaneOptions) {
    this.#options = options
    this.#free = [...options.connections]
  }

  /** Resolves when the operation is committed. Rejects with its error, or that of the database, when nothing of it is. */
  run(operation: AnyOperation, args: unknown, meta: OperationMeta): Promise<Committed> {
    return new Promise((resolve, reject) => {
      const waiting = this.#needsOwnTransaction(operation) ? this.#waitingAlone : this.#waiting
      waiting.push({ operation, args, meta, resolve, reject })
      this.#start()
    })
  }

  /** Runs what waits on a free connection, if there is one. */
  #start(): void {
    if (this.#isStarting || this.#free.length === 0) return
    this.#isStarting = true
    // After a turn of the event loop, the writes that were requested at the same time are all waiting.
    setImmediate(() => {
      this.#isStarting = false
      const connection = this.#free.pop()
      if (connection) void this.#runGroups(connection)
    })
  }

  /**
   * Groups that run at the same time lock the identities of their actors in the same order, so that no two wait for each other. Operations that lock
   * other rows run alone.
   */
  #needsOwnTransaction({ locksOnlyActor }: AnyOperation): boolean {
    return this.#options.isConcurrent && !locksOnlyActor
  }

  async #runGroups(connection: ClientPool): Promise<void> {
    for (let group = this.#takeGroup(); group.length > 0; group = this.#takeGroup()) {
      if (this.#waiting.length + this.#waitingAlone.length > 0) this.#start()
      await this.#runGroup(connection, group)
    }
    this.#free.push(connection)
  }

  /** The next operations to run together. Those that run alone take turns with groups. */
  #takeGroup(): Write[] {
    const { maxGroup, isConcurrent } = this.#options
    this.#wasAlone = this.#waitingAlone.length > 0 && !(this.#wasAlone && this.#waiting.length > 0)
    if (this.#wasAlone) return this.#waitingAlone.splice(0, 1)
    const group = this.#waiting.splice(0, maxGroup)
    return isConcurrent ? group.toSorted(byActor) : group
  }

  /**
   * The first try of a group is without savepoints, which cost a fifth of the statements, and concurrent if the lane is. A group that fails runs again in
   * turn, each write under a savepoint, so that only the writes that cause it fail. A group that fails as a whole is tried write by write. Neither is done
   * where each try would wait for the database as long as the first did.
   */
  async #runGroup(connection: ClientPool, writes: readonly Write[]): Promise<void> {
    if (this.#savepointGroups > 0 && writes.length > 1) {
      this.#savepointGroups -= 1
      return this.#runWithSavepoints(connection, writes)
    }
    try {
      await this.#commit(connection, writes, false)
    } catch (error) {
      if (writes.length === 1 || isUnavailable(error)) return rejectAll(writes, error)
      if (!this.#options.isConcurrent) this.#savepointGroups = SAVEPOINT_GROUPS_AFTER_FAILURE
      await this.#runWithSavepoints(connection, writes)
    }
  }

  async #runWithSavepoints(connection: ClientPool, writes: readonly Write[]): Promise<void> {
    try {
      await this.#commit(connection, writes, true)
    } catch (error) {
      if (isUnavailable(error)) rejectAll(writes, error)
      else await this.#runOneByOne(connection, writes)
    }
  }

  async #runOneByOne(connection: ClientPool, writes: readonly Write[]): Promise<void> {
    for (const write of writes) {
      try {
        await this.#commit(connection, [write], false)
      } catch (error) {
        write.reject(error)
      }
    }
  }

  /** Runs writes in one transaction and settles them. Throws when nothing was committed. */
  async #commit(connection: ClientPool, writes: readonly Write[], hasSavepoints: boolean): Promise<void> {
    const client = await connection.connect()
    const release = client.hold()
    // Another statement has found that a newer release changed its table.
    if (!release) return this.#commit(connection, writes, hasSavepoints)
    try {
      await this.#commitOn(client, writes, hasSavepoints)
    } finally {
      release()
    }
  }

  async #commitOn(client: PostgresClient, writes: readonly Write[], hasSavepoints: boolean): Promise<void> {
    const { lockStatement, notify } = this.#options
    const isConcurrent = this.#options.isConcurrent && writes.length > 1 && !hasSavepoints
    const transaction = new GroupTransaction(client, this.#idleSessions)
    transaction.send('begin isolation level read committed')
    transaction.send(isConcurrent ? withBoundedWaits(lockStatement) : lockStatement)
    try {
      const ran = await (isConcurrent ? transaction.runByActor(writes) : transaction.runInTurn(writes, hasSavepoints))
      const settled = await transaction.insertEntries(ran)
      const committed = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      const changes = committed.flatMap((each) => each.changes)
      const entries = committed.flatMap((each) => each.entries)
      transaction.record(committed.flatMap((each) => each.records))
      for (const { text, values } of notify({ changes, entries })) transaction.send(text, values)
      await transaction.commit()
      for (const [at, each] of settled.entries()) {
        if (each.status === 'fulfilled') writes[at]?.resolve(each.value)
        else writes[at]?.reject(each.reason)
      }
    } catch (error) {
      await transaction.rollBack()
      this.#idleSessions.clear()
      throw transaction.failure ?? error
    }
  }
}

function rejectAll(writes: readonly Write[], error: unknown): void {
  for (const write of writes) write.reject(error)
}

function byActor(a: Write, b: Write): number {
  if (a.meta.actorId === b.meta.actorId) return 0
  return a.meta.actorId < b.meta.actorId ? -1 : 1
}

/** A transaction whose statements are sent without waiting for the replies to those before them. */
class GroupTransaction {
  readonly #client: PostgresClient
  readonly #on: OpenTransaction
  /** The error of a statement that was sent by `send`. */
  failure: unknown

  constructor(client: PostgresClient, idleSessions: IdleSessions) {
    this.#client = client
    this.#on = { db: client.db, dialect: 'postgres', idleSessions }
  }

  /** Sends a statement whose reply matters only if it is an error, which `commit` throws. */
  send(text: string, values: readonly unknown[] = []): void {
    this.#client.query(text, values, { isPrepared: true }).catch((error: unknown) => {
      this.failure ??= error
    })
  }

  /** Appends the change-log entries of all operations. Returns these with the numbers of their entries. */
  async insertEntries(ran: readonly RunOutcome[]): Promise<PromiseSettledResult<Committed>[]> {
    const numbers = await insertEntries(
      this.#on,
      ran.flatMap((each) => (each.status === 'fulfilled' ? each.value.entries : [])),
    )
    let at = 0
    return ran.map((each) => {
      if (each.status === 'rejected') return each
      const entries = numbers.slice(at, at + each.value.entries.length)
      at += entries.length
      return { ...each, value: { ...each.value, entries } }
    })
  }

  record(records: readonly NewRecord[]): void {
    for (const { sql, parameters } of pendingRecordQueries(this.#on.db, records)) this.send(sql, parameters)
  }

  /** Runs the operations of each actor one after the other, and those of different actors at the same time. Throws when one fails. */
  async runByActor(writes: readonly Write[]): Promise<PromiseFulfilledResult<OperationRun>[]> {
    const lastOf = new Map<string, Promise<unknown>>()
    const running = writes.map((write) => {
      const { actorId } = write.meta
      const before = lastOf.get(actorId)
      const run = () => this.#run(write)
      const committed = before === undefined ? run() : before.then(run)
      lastOf.set(actorId, committed)
      return committed
    })
    // All of them end before the transaction does.
    const settled = await Promise.allSettled(running)
    return settled.map((each) => {
      if (each.status === 'rejected') throw each.reason
      return each
    })
  }

  /** Under a savepoint an operation that fails is rolled back alone. Without one, throws when one fails. */
  async runInTurn(writes: readonly Write[], hasSavepoints: boolean): Promise<RunOutcome[]> {
    const outcomes: RunOutcome[] = []
    for (const write of writes) {
      if (hasSavepoints) this.send('savepoint one_write')
      try {
        const value = await this.#run(write)
        if (hasSavepoints) this.send('release one_write')
        outcomes.push({ status: 'fulfilled', value })
      } catch (reason) {
        if (!hasSavepoints || this.failure || isUnavailable(reason)) throw reason
        this.send('rollback to one_write')
        this.#on.idleSessions?.clear()
        outcomes.push({ status: 'rejected', reason })
      }
    }
    return outcomes
  }

  #run({ operation, args, meta }: Write): Promise<OperationRun> {
    const { clock } = meta
    return runOperation(this.#on, operation, args, clock ? { ...meta, now: clock.now() } : meta)
  }

  async commit(): Promise<void> {
    const { command } = await this.#client.query('commit', [], { isPrepared: true })
    if (this.failure) throw this.failure
    // A transaction in which a statement failed is rolled back, which is not an error.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
  }

  async rollBack(): Promise<void> {
    await this.#client.query('rollback', [], { isPrepared: true }).catch(() => {})
  }
}

type RunOutcome = PromiseSettledResult<OperationRun>
