import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError, Slots } from '@countersign/core'
import { Outbox } from '../../platform/outbox.ts'
import type { ChangeListener, OwnChangeListener } from '../change.ts'
import { LONG_READ_MS } from '../long-read.ts'
import { migrate } from '../migrations/migrate.ts'
import { SQLITE_TYPES } from '../migrations/migration.ts'
import type { OperationMeta } from '../operation-meta.ts'
import type { Store } from '../store.ts'
import { createChangeLogPoller } from './change-log-poller.ts'
import { openForReading, openForWriting } from './open-database.ts'
import { SqliteReaders } from './sqlite-readers.ts'
import {
  type FromWriter,
  fromSentError,
  type NumberedWrite,
  repliesOf,
  type ToWriter,
  toSentError,
  toWriter,
  type WriteReply,
} from './writer-messages.ts'
import type { StartWriter, WriterOptions } from './writer-options.ts'

interface Pending {
  readonly meta: OperationMeta
  resolve(value: unknown): void
  reject(error: Error): void
}

const PRIVATE_FILE_MODE = 0o600

/** With more writes in flight, further ones fail with SERVER_TOO_MANY_REQUESTS. */
const MAX_WAITING_WRITES = 10_000

const MAX_WRITES_PER_MESSAGE = 24

interface SqliteStoreOptions extends WriterOptions {
  readonly startWriter: StartWriter
  readonly now: number
  /** Time limit of a long read; default 5 seconds. */
  readonly longReadMs?: number
  /** Called when the writer thread has died: no write is possible any more. */
  onFatal?(error: Error): void
}

/** The embedded store: this thread reads, one worker thread writes, and each commit is durable before it is acknowledged. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 })
  // Created here with a private mode before SQLite writes to it; SQLite gives its WAL files the same mode.
  closeSync(openSync(options.file, 'a', PRIVATE_FILE_MODE))
  await migrateFile(options.file, options.now)
  const { raw, db } = openForReading(options.file)
  const { file, artificialCommitMs, isShared } = options
  const writer = options.startWriter({
    file,
    ...(isShared && { isShared }),
    ...(artificialCommitMs !== undefined && { artificialCommitMs }),
  })
  const readers = new SqliteReaders({ file, deadlineMs: options.longReadMs ?? LONG_READ_MS })
  const pending = new Slots<Pending>()
  const listeners: ChangeListener[] = []
  const ownListeners: OwnChangeListener[] = []
  let failure: Error | undefined
  let isClosing = false

  const settle = (reply: WriteReply): void => {
    const waiting = pending.take(reply.id)
    if (!waiting) return
    if ('error' in reply) {
      waiting.reject(fromSentError(reply.error))
      return
    }
    if (reply.changes.length > 0) {
      for (const listener of listeners) listener(reply.changes)
      for (const listener of ownListeners) listener(reply.changes, waiting.meta)
    }
    waiting.resolve(reply.result)
  }
  writer.on('message', (message: FromWriter) => repliesOf(message).forEach(settle))
  const outbox = new Outbox<NumberedWrite>(MAX_WRITES_PER_MESSAGE, (writes) => {
    try {
      writer.postMessage(toWriter(writes))
    } catch (error) {
      // Arguments that cannot be serialized are a bug of ours, but must not end the process.
      for (const { id } of writes) settle({ id, error: toSentError(error) })
    }
  })

  const fail = (error: Error): void => {
    failure = new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
    for (const waiting of pending.takeAll()) waiting.reject(failure)
    if (!isClosing) options.onFatal?.(error)
    isClosing = true
  }
  writer.on('error', fail)
  writer.on('exit', () => fail(new Error('the writer thread has ended')))

  const poller = isShared
    ? createChangeLogPoller(raw, (changes) => {
        for (const listener of listeners) listener(changes)
      })
    : undefined

  return {
    dialect: 'sqlite',
    db,
    ...(poller && { catchUp: poller.catchUp }),
    readLong: async (caller, { sql, parameters }, member) =>
      (await readers.read(caller, { sql, parameters }, member)) as never[],
    run: ({ name }, args, meta) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure)
        if (pending.size >= MAX_WAITING_WRITES) return reject(new AppError('SERVER_TOO_MANY_REQUESTS'))
        const id = pending.add({ meta, resolve: resolve as Pending['resolve'], reject })
        outbox.add({ id, name, args, meta })
      }),
    onChange: (listener) => void listeners.push(listener),
    onOwnChange: (listener) => void ownListeners.push(listener),
    close: async () => {
      isClosing = true
      poller?.stop()
      await readers.close()
      if (failure) return raw.close()
      const ended = new Promise<void>((resolve) => writer.on('exit', resolve))
      outbox.flush()
      writer.postMessage('close' satisfies ToWriter)
      await ended
      raw.close()
    },
  }
}

async function migrateFile(file: string, now: number): Promise<void> {
  const { raw, db } = openForWriting(file)
  try {
    raw.exec('begin immediate')
    await migrate(db, SQLITE_TYPES, now)
    raw.exec('commit')
  } finally {
    raw.close()
  }
}
