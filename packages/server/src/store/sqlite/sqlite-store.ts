import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AppError, Slots } from '@countersign/core'
import { Outbox } from '../../platform/outbox.ts'
import type { ChangeListener, OwnChangeListener } from '../change.ts'
import { migrate } from '../migrations/migrate.ts'
import { SQLITE_TYPES } from '../migrations/migration.ts'
import type { OperationMeta } from '../operation-meta.ts'
import type { Store } from '../store.ts'
import { createForeignChanges } from './foreign-changes.ts'
import { openForReading, openForWriting } from './open-database.ts'
import {
  answersOf,
  type FromWriter,
  fromSentError,
  type NumberedWrite,
  type ToWriter,
  toSentError,
  toWriter,
  type WriteAnswer,
} from './writer-messages.ts'
import type { WriterOptions } from './writer-options.ts'

interface Pending {
  readonly meta: OperationMeta
  resolve(value: unknown): void
  reject(error: Error): void
}

const PRIVATE_FILE_MODE = 0o600

/** More than this many writes in flight and the caller is told to come back later. */
const MAX_WAITING_WRITES = 10_000

const MAX_WRITES_PER_MESSAGE = 24

interface SqliteStoreOptions extends WriterOptions {
  /** The entry file of the writer thread, which knows the operations. */
  readonly writer: URL
  readonly now: number
  /** The writer thread has died; nothing can be written any more. */
  onFatal?(error: Error): void
}

/** The embedded store: this thread reads, one worker thread writes, and each commit is durable before it is acknowledged. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 })
  // Made here, so that nobody else can read it from its first byte on; SQLite gives its side files the same mode.
  closeSync(openSync(options.file, 'a', PRIVATE_FILE_MODE))
  await migrateFile(options.file, options.now)
  const { raw, db } = openForReading(options.file)
  const { file, artificialCommitMs, idleMs, isShared } = options
  const workerData: WriterOptions = {
    file,
    ...(isShared && { isShared }),
    ...(artificialCommitMs !== undefined && { artificialCommitMs }),
    ...(idleMs !== undefined && { idleMs }),
  }
  const worker = new Worker(options.writer, { workerData })
  const pending = new Slots<Pending>()
  const listeners: ChangeListener[] = []
  const ownListeners: OwnChangeListener[] = []
  let failure: Error | undefined
  let isClosing = false

  const settle = (answer: WriteAnswer): void => {
    const waiting = pending.take(answer.id)
    if (!waiting) return
    if ('error' in answer) {
      waiting.reject(fromSentError(answer.error))
      return
    }
    if (answer.changes.length > 0) {
      for (const listener of listeners) listener(answer.changes)
      for (const listener of ownListeners) listener(answer.changes, waiting.meta)
    }
    waiting.resolve(answer.result)
  }
  worker.on('message', (message: FromWriter) => answersOf(message).forEach(settle))
  const outbox = new Outbox<NumberedWrite>(MAX_WRITES_PER_MESSAGE, (writes) => {
    try {
      worker.postMessage(toWriter(writes))
    } catch (error) {
      // Arguments that cannot be sent are a fault of ours, and no reason to end the process.
      for (const { id } of writes) settle({ id, error: toSentError(error) })
    }
  })

  const giveUp = (error: Error): void => {
    failure = new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
    for (const waiting of pending.takeAll()) waiting.reject(failure)
    if (!isClosing) options.onFatal?.(error)
    isClosing = true
  }
  worker.on('error', giveUp)
  worker.on('exit', () => giveUp(new Error('the writer thread has ended')))

  const foreign = isShared
    ? createForeignChanges(raw, (changes) => {
        for (const listener of listeners) listener(changes)
      })
    : undefined

  return {
    dialect: 'sqlite',
    db,
    ...(foreign && { catchUp: foreign.catchUp }),
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
      foreign?.stop()
      if (failure) return raw.close()
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      outbox.flush()
      worker.postMessage('close' satisfies ToWriter)
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
