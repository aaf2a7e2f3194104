import { Worker } from 'node:worker_threads'
import { type CheckSignature, checkInPlace, type SignatureToCheck } from '@countersign/core'
import type { Logger } from 'pino'
import { FairQueue } from '../../platform/fair-queue.ts'
import { Outbox } from '../../platform/outbox.ts'
import { InPlaceChecks } from './in-place-checks.ts'
import { KeyNumbers } from './key-numbers.ts'
import type { FromSignatureThread, ToSignatureThread } from './signature-thread.ts'
import { settleInPlace, type WaitingCheck } from './waiting-check.ts'

/** Checking an RSA signature of this length (2048 bits) takes as long as a round trip to another thread. */
const MAX_QUICK_BYTES = 256
/** Fewer quick signatures than this are not worth a message. */
const MIN_BATCH = 3
const MAX_PER_MESSAGE = 16
/** With this many signatures pending the thread is behind: further ones are checked in place. */
const MAX_PENDING = 64
/** RSA of 4096 bits. */
const MAX_BRIEF_RSA_BYTES = 512
/** A check takes about 0.8 ms with P-384 and 1.6 ms with P-521; with P-256, Ed25519 and RSA of 4096 bits at most 0.15 ms. */
const SLOW_KINDS: ReadonlySet<string> = new Set(['P-384', 'P-521'])
/** Other signatures wait for at most two slow ones. Keys take turns. */
const SLOW_AT_ONCE = 2
const MAX_WAITING_SLOW = 1_000
export const SIGNATURE_THREAD = 'signatures'
/** The thread holds only keys and a few messages. */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 }

/**
 * Checks signatures on a separate thread, several per message: sending a single one costs the event loop as much as checking it. A few quick
 * signatures are checked in place, and so are those that find the thread behind, some in each turn of the event loop. Slow ones wait in a queue
 * of their own, which rejects them with SERVER_TOO_MANY_REQUESTS when it is full. The thread starts on first use. When it fails, all signatures are
 * checked in place from then on.
 */
export class SignatureChecks {
  readonly #log: Logger
  readonly #keyNumbers = new KeyNumbers((message) => this.#post(message))
  readonly #pending: WaitingCheck[][] = []
  readonly #outbox = new Outbox<WaitingCheck>(MAX_PER_MESSAGE, (batch) => this.#settle(batch))
  readonly #slow: FairQueue
  readonly #inPlace = new InPlaceChecks()
  #pendingCount = 0
  #thread: Worker | undefined
  #isClosed = false

  /** `maxWaitingSlow` is per key. */
  constructor(log: Logger, maxWaitingSlow = MAX_WAITING_SLOW) {
    this.#log = log
    this.#slow = new FairQueue({ atOnce: SLOW_AT_ONCE, maxWaiting: maxWaitingSlow })
  }

  readonly check: CheckSignature = (check) => {
    if (isSlow(check)) return this.#slow.run(check.thumbprint, () => this.#checkSlow(check))
    return new Promise((resolve) => this.#outbox.add({ check, resolve }))
  }

  /** Checks at once, except a slow one: for a signature that comes alone, sending it would cost as much as checking it. */
  readonly checkAlone: CheckSignature = (check) => (isSlow(check) ? this.check(check) : checkInPlace(check))

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.terminate()
  }

  #checkSlow(check: SignatureToCheck): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.#isClosed) this.#inPlace.add([{ check, resolve }])
      else this.#send([{ check, resolve }])
    })
  }

  #settle(batch: WaitingCheck[]): void {
    if (isCheaperInPlace(batch)) settleInPlace(batch)
    else if (this.#isClosed || this.#pendingCount >= MAX_PENDING) this.#inPlace.add(batch)
    else this.#send(batch)
  }

  #send(batch: WaitingCheck[]): void {
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
    const thread = new Worker(new URL('./signature-thread.ts', import.meta.url), {
      name: SIGNATURE_THREAD,
      resourceLimits: THREAD_LIMITS,
    })
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
    for (const batch of this.#pending.splice(0)) this.#inPlace.add(batch)
  }
}

function isCheaperInPlace(batch: readonly WaitingCheck[]): boolean {
  return batch.length < MIN_BATCH && batch.every(({ check }) => isQuick(check))
}

function isQuick({ algorithm, signature }: SignatureToCheck): boolean {
  return algorithm.keyKind === 'RSA' && signature.length <= MAX_QUICK_BYTES
}

function isSlow({ algorithm: { keyKind }, signature }: SignatureToCheck): boolean {
  return SLOW_KINDS.has(keyKind) || (keyKind === 'RSA' && signature.length > MAX_BRIEF_RSA_BYTES)
}
