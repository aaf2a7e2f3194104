import { type BucketSize, clientNetwork, TokenBuckets } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { type Scheduler, systemScheduler } from '../platform/scheduler.ts'

interface RefusalDelayParts {
  readonly clock: Clock
  readonly scheduler?: Scheduler
}

interface RefusalDelayLimits {
  /** Refusals per network that are sent without delay. */
  readonly undelayed: BucketSize
  /** Limits of held refusals, per network and in total. Beyond them, sending one costs less than holding it. */
  readonly maxPerNetwork: number
  readonly maxHeld: number
}

/** High enough for the ordinary refusals of many clients behind one address. */
const REFUSAL_DELAY_LIMITS: RefusalDelayLimits = {
  undelayed: { burst: 200, perSecond: 50 },
  maxPerNetwork: 500,
  maxHeld: 2_000,
}
const MIN_DELAY_MS = 250
const MAX_DELAY_MS = 750

/** Delays refusals to networks that fail repeatedly, so that a flood is slowed by its own connections. */
export class RefusalDelay {
  readonly #clock: Clock
  readonly #scheduler: Scheduler
  readonly #limits: RefusalDelayLimits
  readonly #buckets: TokenBuckets
  readonly #held = new Map<string, number>()
  #totalHeld = 0

  constructor({ clock, scheduler = systemScheduler }: RefusalDelayParts, limits = REFUSAL_DELAY_LIMITS) {
    this.#clock = clock
    this.#scheduler = scheduler
    this.#limits = limits
    this.#buckets = new TokenBuckets(limits.undelayed)
  }

  /** Resolves after 250 to 750 ms. Returns undefined when the refusal may be sent without delay. */
  wait(address: string): Promise<void> | undefined {
    const network = clientNetwork(address)
    if (this.#buckets.take(network, this.#clock.now()) === 0 || this.#isFull(network)) return undefined
    return this.#hold(network)
  }

  #isFull(network: string): boolean {
    return this.#totalHeld >= this.#limits.maxHeld || (this.#held.get(network) ?? 0) >= this.#limits.maxPerNetwork
  }

  async #hold(network: string): Promise<void> {
    this.#count(network, 1)
    const delayMs = MIN_DELAY_MS + Math.random() * (MAX_DELAY_MS - MIN_DELAY_MS)
    await new Promise<void>((resolve) => this.#scheduler.after(delayMs, resolve))
    this.#count(network, -1)
  }

  #count(network: string, change: 1 | -1): void {
    const held = (this.#held.get(network) ?? 0) + change
    if (held === 0) this.#held.delete(network)
    else this.#held.set(network, held)
    this.#totalHeld += change
  }
}
