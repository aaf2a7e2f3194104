import { Worker } from 'node:worker_threads'
import { AppError } from '@countersign/core'
import { forwardToLog } from '../../platform/log/create-log.ts'
import { type Scheduler, systemScheduler } from '../../platform/scheduler.ts'
import { LongReadQueue, longReadTimeout } from '../long-read.ts'
import type { FromReader, ReaderOptions, ToReader } from './reader-messages.ts'

const READER_ENTRY = new URL('./reader-thread.ts', import.meta.url)
/** A thread without work has 9 MiB. Starting one takes as long as a few lists. */
const IDLE_MS = 2_000

/** Runs reads that may take long on threads of their own, which are started when they are needed and end when there is nothing to read. */
export class SqliteReaders {
  readonly #options: ReaderOptions
  readonly #scheduler: Scheduler
  readonly #queue = new LongReadQueue()
  readonly #idle: Reader[] = []
  readonly #all = new Set<Reader>()
  #cancelEnd: (() => void) | undefined

  constructor(options: ReaderOptions, scheduler = systemScheduler) {
    this.#options = options
    this.#scheduler = scheduler
  }

  /** The number of threads. */
  get size(): number {
    return this.#all.size
  }

  read(caller: string, query: ToReader, member = ''): Promise<readonly unknown[]> {
    return this.#queue.run(caller, member, async () => {
      const reader = this.#idle.pop() ?? this.#start()
      try {
        return await reader.read(query)
      } finally {
        if (this.#all.has(reader)) this.#idle.push(reader)
        this.#cancelEnd?.()
        this.#cancelEnd = this.#scheduler.after(IDLE_MS, () => this.#endIdle())
      }
    })
  }

  async close(): Promise<void> {
    this.#cancelEnd?.()
    await Promise.all([...this.#all].map((reader) => reader.stop()))
  }

  #endIdle(): void {
    for (const reader of this.#idle.splice(0)) void reader.stop()
  }

  #start(): Reader {
    const reader = new Reader(this.#options, () => {
      this.#all.delete(reader)
      if (this.#idle.includes(reader)) this.#idle.splice(this.#idle.indexOf(reader), 1)
    })
    this.#all.add(reader)
    return reader
  }
}

interface Pending {
  resolve(rows: readonly unknown[]): void
  reject(error: Error): void
}

class Reader {
  readonly #worker: Worker
  #pending: Pending | undefined

  constructor(options: ReaderOptions, onEnd: () => void) {
    this.#worker = new Worker(READER_ENTRY, { name: 'reader', workerData: options, stderr: true })
    forwardToLog(this.#worker.stderr)
    const fail = (cause: Error): void => {
      onEnd()
      this.#pending?.reject(new AppError('STORE_UNAVAILABLE', undefined, { cause }))
    }
    this.#worker.on('error', fail)
    this.#worker.on('exit', () => fail(new Error('the reader thread has ended')))
    this.#worker.on('message', (message: FromReader) => {
      if ('rows' in message) this.#pending?.resolve(message.rows)
      else if ('isLate' in message) this.#pending?.reject(longReadTimeout())
      else this.#pending?.reject(Object.assign(new Error(message.error.message), message.error))
    })
  }

  read(query: ToReader): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject }
      this.#worker.postMessage(query)
    })
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}
