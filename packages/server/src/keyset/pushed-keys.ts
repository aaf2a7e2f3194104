import { keysUntil, type SignerKeys } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import type { Scheduler } from '../platform/scheduler.ts'
import { isSameEndpoint, PUSHED, type StoredKeySet } from '../store/key-signer.ts'
import type { ProviderFacts } from './provider-keys.ts'
import type { SignerKeyWarning } from './signer-key-warning.ts'
import { readStoredKeys } from './stored-key-set.ts'

export interface PushedKeysParts {
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Logger
  warn(warning: SignerKeyWarning): void
}

const NO_KEYS: SignerKeys = new Map()
/** Timers are limited to 24 days, and follow another clock than the one that counts. */
const MAX_TIMER_MS = 3_600_000

type Age = 'fresh' | 'aging' | 'stale'

/** The keys that are pushed for one signer. When they are too old, each key says so itself: `verifyToken` refuses it with its own reason. */
export class PushedKeys {
  readonly id: string
  readonly maxAgeMs: number
  readonly #parts: PushedKeysParts
  #text = ''
  #pushedAt: number | undefined
  #keys: SignerKeys = NO_KEYS
  #reported: Age = 'fresh'
  #cancel = (): void => {}

  constructor(id: string, maxAgeSeconds: number, parts: PushedKeysParts) {
    this.id = id
    this.maxAgeMs = maxAgeSeconds * 1000
    this.#parts = parts
  }

  /** Uses the stored keys, if they were pushed later than those in use. */
  adopt(stored: StoredKeySet): void {
    const { log } = this.#parts
    if (!isSameEndpoint(stored, PUSHED) || (this.#pushedAt !== undefined && stored.fetchedAt <= this.#pushedAt)) return
    try {
      // Unchanged keys stay the same objects, which keeps what was prepared for verifying with them.
      const keys = stored.jwks === this.#text ? this.#keys : readStoredKeys(stored.jwks)
      this.#keys = keysUntil(keys, stored.fetchedAt + this.maxAgeMs)
      this.#text = stored.jwks
      this.#pushedAt = stored.fetchedAt
      this.#reported = 'fresh'
      this.#watch()
    } catch (error) {
      log.warn({ signerId: this.id, err: error }, 'the pushed keys of a signer cannot be read')
    }
  }

  keys(): SignerKeys {
    return this.#keys
  }

  /** When the keys become stale; undefined before the first push. */
  get staleAt(): number | undefined {
    return this.#pushedAt === undefined ? undefined : this.#pushedAt + this.maxAgeMs
  }

  facts(): ProviderFacts {
    const age = this.#age()
    return {
      keys: this.#keys,
      lastSuccessAt: this.#pushedAt,
      lastError: undefined,
      nextRefreshAt: undefined,
      isStale: age === 'stale',
      warnings: this.#pushedAt === undefined ? [NEVER_PUSHED] : age === 'fresh' ? [] : [this.#warning(age)],
      failedFetches: 0,
    }
  }

  stop(): void {
    this.#cancel()
  }

  #age(): Age {
    const { staleAt } = this
    if (staleAt === undefined) return 'fresh'
    const leftMs = staleAt - this.#parts.clock.now()
    return leftMs <= 0 ? 'stale' : leftMs <= this.maxAgeMs / 2 ? 'aging' : 'fresh'
  }

  #warning(age: Exclude<Age, 'fresh'>): string {
    const at = (ms: number): string => new Date(ms).toISOString()
    const [pushed, stale] = [at(this.#pushedAt ?? 0), at(this.staleAt ?? 0)]
    return age === 'stale'
      ? `the keys were pushed at ${pushed} and are stale since ${stale}, so all tokens are refused: push them again`
      : `the keys were pushed at ${pushed} and become stale at ${stale}: push them again`
  }

  /** Reports once when half of the age is over, and once when the keys are stale. */
  #watch(): void {
    const { clock, scheduler, warn } = this.#parts
    this.#cancel()
    const age = this.#age()
    if (age !== 'fresh' && age !== this.#reported) {
      this.#reported = age
      const kind = age === 'stale' ? 'pushed-keys-stale' : 'pushed-keys-aging'
      warn({ kind, signerId: this.id, message: this.#warning(age) })
    }
    if (age === 'stale') return
    const leftMs = (this.staleAt ?? 0) - clock.now()
    const nextMs = age === 'fresh' ? leftMs - this.maxAgeMs / 2 : leftMs
    this.#cancel = scheduler.after(Math.min(nextMs, MAX_TIMER_MS), () => this.#watch())
  }
}

const NEVER_PUSHED = 'no keys have been pushed yet, so all tokens are refused: run "countersign signers push-keys"'
