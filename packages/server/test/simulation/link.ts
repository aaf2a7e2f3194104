import type { Scheduler } from '../../src/platform/scheduler.ts'
import type { Random } from './random.ts'
import { connectionLost } from './shared-database.ts'

interface LinkOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  /** The driver's time limit of a request. */
  readonly requestTimeoutMs: number
}

/** The driver's error for a request without a reply. */
const noReply = (): Error => new Error('Query read timeout')

/** Ends all connections of a link that exist now. */
type Breaker = (error: Error) => void

/**
 * The network between a node and the database. Messages take a random time. While it is silent, messages are held: they arrive when it is
 * repaired, as TCP sends them again, unless the connections are reset before.
 */
export class Link {
  readonly #options: LinkOptions
  readonly #breakers = new Set<Breaker>()
  #held: (() => void)[] = []
  #isSilent = false
  /** Counts resets: messages of older connections are lost. */
  #era = 0
  #slowness = 1

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** Monotonic time. */
  get now(): number {
    return this.#options.scheduler.elapsedMs()
  }

  /** From now on nothing gets through. */
  silence(): void {
    this.#isSilent = true
  }

  /** Multiplies the time that messages take. */
  slowDown(factor: number): void {
    this.#slowness = factor
  }

  /** Ends every silence and slowness. */
  repair(): void {
    this.#slowness = 1
    this.#isSilent = false
    for (const deliver of this.#held.splice(0)) this.#later(0, deliver)
  }

  /** Breaks all connections: their messages are lost, and both ends notice. */
  reset(): void {
    this.#era += 1
    this.#held = []
    for (const breaker of [...this.#breakers]) breaker(connectionLost())
  }

  /** Calls `onBroken` at the next reset. Returns a function that prevents that. */
  onReset(onBroken: Breaker): () => void {
    const breaker: Breaker = (error) => {
      this.#breakers.delete(breaker)
      onBroken(error)
    }
    this.#breakers.add(breaker)
    return () => void this.#breakers.delete(breaker)
  }

  /** Delivers a message after a random time, at `notBefore` at the earliest. Returns the time. */
  send(deliver: () => void, notBefore = 0): number {
    const at = Math.max(notBefore, this.now + this.#latency())
    this.#later(at - this.now, deliver)
    return at
  }

  /** Sends a request and returns the reply. Rejects with an error of the driver when a connection breaks or the reply takes too long. */
  request<Reply>(serve: () => Promise<Reply>, timeoutMs = this.#options.requestTimeoutMs): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const forget = this.onReset((error) => end(() => reject(error)))
      const cancel = this.#options.scheduler.after(timeoutMs, () => end(() => reject(noReply())))
      const end = (settle: () => void): void => {
        forget()
        cancel()
        settle()
      }
      this.send(() => {
        serve().then(
          (reply) => this.send(() => end(() => resolve(reply))),
          (error) => this.send(() => end(() => reject(error))),
        )
      })
    })
  }

  #later(ms: number, deliver: () => void): void {
    const era = this.#era
    this.#options.scheduler.after(ms, () => {
      if (era !== this.#era) return
      if (this.#isSilent) this.#held.push(deliver)
      else deliver()
    })
  }

  /** Mostly a few milliseconds. */
  #latency(): number {
    const { random } = this.#options
    return this.#slowness * random.between(0.1, random.isTrue(0.05) ? 60 : 3)
  }
}
