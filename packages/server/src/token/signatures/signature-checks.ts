import { Worker } from 'node:worker_threads'
import { type CheckSignature, checkInPlace, type SignatureToCheck } from '@countersign/core'
import type { Logger } from 'pino'
import { Outbox } from '../../platform/outbox.ts'
import { KeyNumbers } from './key-numbers.ts'
import type { FromSignatureThread, ToSignatureThread } from './signature-thread.ts'

/** Checking an RSA signature of this length (2048 bits) takes as long as a round trip to another thread. */
const MAX_QUICK_BYTES = 256
/** Fewer quick signatures than this are not worth a message. */
const MIN_BATCH = 3
const MAX_PER_MESSAGE = 16
/** With this many signatures pending the thread is behind: further ones are checked in place. */
const MAX_PENDING = 64
/** The thread holds only keys and a few messages. */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 }

interface Waiting {
  readonly check: SignatureToCheck
  resolve(isValid: boolean): void
}

/**
 * Checks signatures on a separate thread, several per message: sending a single one costs the event loop as much as checking it. A few quick
 * signatures are checked in place, and so are all while the thread is behind. The thread starts on first use. When it fails, all signatures
 * are checked in place from then on.
 */
export class SignatureChecks {
  readonly #log: Logger
  readonly #keyNumbers = new KeyNumbers((message) => this.#post(message))
  readonly #pending: Waiting[][] = []
  readonly #outbox = new Outbox<Waiting>(MAX_PER_MESSAGE, (batch) => this.#settle(batch))
  #pendingCount = 0
  #thread: Worker | undefined
  #isClosed = false

  constructor(log: Logger) {
    this.#log = log
  }

  readonly check: CheckSignature = (check) => {
    if (this.#isClosed || this.#pendingCount >= MAX_PENDING) return checkInPlace(check)
    return new Promise((resolve) => this.#outbox.add({ check, resolve }))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.terminate()
  }

  #settle(batch: Waiting[]): void {
    if (this.#isClosed || isCheaperInPlace(batch)) settleInPlace(batch)
    else this.#send(batch)
  }

  #send(batch: Waiting[]): void {
    this.#thread ??= this.#start()
    this.#keyNumbers.makeRoom()
    const signatures: (number | string)[] = []
    for (const { check } of batch) {
      signatures.push(this.#keyNumbers.of(check), check.input, check.signature.toString('latin1'))
    }
    this.#post(signatures)
    this.#pending.push(batch)
    this.#pendingCount += batch.length
  }

  #post(message: ToSignatureThread): void {
    this.#thread?.postMessage(message)
  }

  #start(): Worker {
    const thread = new Worker(new URL('./signature-thread.ts', import.meta.url), { resourceLimits: THREAD_LIMITS })
    thread.unref()
    thread.on('message', (results: FromSignatureThread) => this.#settleFirst(results))
    thread.on('error', (err) => this.#log.error({ err }, 'the signature thread failed'))
    thread.on('exit', () => this.#continueInPlace())
    return thread
  }

  #settleFirst(results: FromSignatureThread): void {
    const batch = this.#pending.shift() ?? []
    this.#pendingCount -= batch.length
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] === true)
  }

  #continueInPlace(): void {
    if (!this.#isClosed)
      this.#log.error('the signature thread ended: signatures are checked on the main thread until the next start')
    this.#isClosed = true
    this.#pendingCount = 0
    settleInPlace(this.#pending.splice(0).flat())
  }
}

function isCheaperInPlace(batch: readonly Waiting[]): boolean {
  return batch.length < MIN_BATCH && batch.every(({ check }) => isQuick(check))
}

function isQuick({ algorithm, signature }: SignatureToCheck): boolean {
  return algorithm.keyKind === 'RSA' && signature.length <= MAX_QUICK_BYTES
}

function settleInPlace(batch: readonly Waiting[]): void {
  for (const { check, resolve } of batch) resolve(checkInPlace(check))
}
