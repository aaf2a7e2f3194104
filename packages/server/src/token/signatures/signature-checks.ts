import { Worker } from 'node:worker_threads'
import { type CheckSignature, checkInPlace, type SignatureToCheck } from '@countersign/core'
import type { Logger } from 'pino'
import { Outbox } from '../../platform/outbox.ts'
import { KeyNumbers } from './key-numbers.ts'
import type { FromSignatureThread, ToSignatureThread } from './signature-thread.ts'

/** An RSA signature of this length, 2048 bits, is checked in the time that a round trip to another thread takes. */
const MAX_QUICK_BYTES = 256
/** Fewer quick ones than this are not worth a message. */
const MIN_TOGETHER = 3
const MAX_PER_MESSAGE = 16
/** With this many before it the thread is behind: the next are checked here meanwhile. */
const MAX_UNDER_WAY = 64
/** All it holds are keys and a few messages. */
const THREAD_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 }

interface Waiting {
  readonly check: SignatureToCheck
  resolve(isGood: boolean): void
}

/**
 * Checks signatures on a thread of their own, several to a message: to hand over a single one costs the event loop as much as to check it.
 * Few quick ones are checked in place, and so is everything while the thread is behind. It starts when it is first of use; should it fail,
 * everything is checked in place from then on.
 */
export class SignatureChecks {
  readonly #log: Logger
  readonly #keyNumbers = new KeyNumbers((message) => this.#post(message))
  readonly #underWay: Waiting[][] = []
  readonly #outbox = new Outbox<Waiting>(MAX_PER_MESSAGE, (together) => this.#settle(together))
  #countUnderWay = 0
  #thread: Worker | undefined
  #isOver = false

  constructor(log: Logger) {
    this.#log = log
  }

  readonly check: CheckSignature = (check) => {
    if (this.#isOver || this.#countUnderWay >= MAX_UNDER_WAY) return checkInPlace(check)
    return new Promise((resolve) => this.#outbox.add({ check, resolve }))
  }

  async close(): Promise<void> {
    this.#isOver = true
    await this.#thread?.terminate()
  }

  #settle(together: Waiting[]): void {
    if (this.#isOver || isNotWorthIt(together)) settleInPlace(together)
    else this.#send(together)
  }

  #send(together: Waiting[]): void {
    this.#thread ??= this.#start()
    this.#keyNumbers.makeRoom()
    const signatures: (number | string)[] = []
    for (const { check } of together) {
      signatures.push(this.#keyNumbers.of(check), check.input, check.signature.toString('latin1'))
    }
    this.#post(signatures)
    this.#underWay.push(together)
    this.#countUnderWay += together.length
  }

  #post(message: ToSignatureThread): void {
    this.#thread?.postMessage(message)
  }

  #start(): Worker {
    const thread = new Worker(new URL('./signature-thread.ts', import.meta.url), { resourceLimits: THREAD_LIMITS })
    thread.unref()
    thread.on('message', (verdicts: FromSignatureThread) => this.#settleFirst(verdicts))
    thread.on('error', (err) => this.#log.error({ err }, 'the thread for signatures has failed'))
    thread.on('exit', () => this.#goOnInPlace())
    return thread
  }

  #settleFirst(verdicts: FromSignatureThread): void {
    const together = this.#underWay.shift() ?? []
    this.#countUnderWay -= together.length
    for (const [index, { resolve }] of together.entries()) resolve(verdicts[index] === true)
  }

  #goOnInPlace(): void {
    if (!this.#isOver)
      this.#log.error('without the thread for signatures they are checked on the main thread until the next start')
    this.#isOver = true
    this.#countUnderWay = 0
    settleInPlace(this.#underWay.splice(0).flat())
  }
}

function isNotWorthIt(together: readonly Waiting[]): boolean {
  return together.length < MIN_TOGETHER && together.every(({ check }) => isQuick(check))
}

function isQuick({ algorithm, signature }: SignatureToCheck): boolean {
  return algorithm.keyKind === 'RSA' && signature.length <= MAX_QUICK_BYTES
}

function settleInPlace(together: readonly Waiting[]): void {
  for (const { check, resolve } of together) resolve(checkInPlace(check))
}
