import type { SignerKeys } from '@countersign/core'
import type { Logger } from 'pino'
import type { FetchedKeySet, FetchJwks, FetchReason } from '../outbound/jwks-fetch.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { Clock } from '../platform/clock.ts'
import type { Scheduler } from '../platform/scheduler.ts'
import type { StoredKeySet } from '../store/key-signer.ts'
import type { FetchQueue, Lane } from './fetch-queue.ts'
import {
  ADMIN_REFRESH_MS,
  EMPTY_SET_MS,
  MIN_RETRY_MS,
  OTHER_NODE_MS,
  type RefreshTiming,
  refreshDelayMs,
  retryDelayMs,
} from './refresh-timing.ts'
import { type Asked, ServedKeys } from './served-keys.ts'
import type { SignerKeyWarning } from './signer-key-warning.ts'

/** What the keys of all providers share. */
export interface ProviderKeysParts {
  readonly fetchJwks: FetchJwks
  readonly queue: FetchQueue
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** From 0 to 1. */
  readonly random: () => number
  readonly timing: RefreshTiming
  readonly log: Logger
  load(signerId: string): Promise<StoredKeySet | undefined>
  save(signerId: string, keySet: StoredKeySet): Promise<unknown>
  warn(warning: SignerKeyWarning): void
}

export interface ProviderFacts {
  readonly keys: SignerKeys
  readonly lastSuccessAt: number | undefined
  readonly lastError: string | undefined
  readonly nextRefreshAt: number | undefined
  /** The last fetch failed, and the keys are from before it. */
  readonly isStale: boolean
  readonly warnings: readonly string[]
  /** Since this node keeps the keys. */
  readonly failedFetches: number
}

export interface ProviderSource {
  readonly id: string
  readonly url: string
  readonly caPem: string | undefined
}

/** The keys that one signer fetches from one address, from `start` until `stop`: when they are fetched, and who waits for it. */
export class ProviderKeys {
  readonly source: ProviderSource
  readonly #parts: ProviderKeysParts
  readonly #served: ServedKeys
  readonly #stopped = new AbortController()
  #loading: Promise<void> | undefined
  #running: Promise<void> | undefined
  #started = 0
  #failures = 0
  #failedFetches = 0
  #failure: { readonly error: OutboundError; readonly at: number } | undefined
  #noRetryBefore = Number.NEGATIVE_INFINITY
  #lastForced = Number.NEGATIVE_INFINITY
  #lastAdminRefresh = Number.NEGATIVE_INFINITY
  #adminRefresh: Promise<void> | undefined
  #due: number | undefined
  /** When the keys were fetched that are to be refreshed then. */
  #scheduledFor: number | undefined
  #cancelRefresh = (): void => {}
  #cancelDownWarning: (() => void) | undefined

  constructor(source: ProviderSource, parts: ProviderKeysParts) {
    this.source = source
    this.#parts = parts
    this.#served = new ServedKeys(source.url, parts.timing.maxStaleMs, (kind, message) => this.#warn(kind, message))
  }

  /** The keys that may be used now. */
  keys(): SignerKeys {
    return this.#served.keys(this.#parts.clock.now())
  }

  /**
   * Takes the stored keys, then fetches unless those are new enough; returns at once. Where another node has created or changed the signer,
   * that node fetches, and this one only when it does not.
   */
  start(stored: Promise<StoredKeySet | undefined>, { isOfAnotherNode = false } = {}): void {
    this.#loading = this.#adoptLater(stored).finally(() => {
      this.#loading = undefined
      const restMs = this.#freshForMs()
      if (restMs > 0) this.#schedule(restMs)
      else if (isOfAnotherNode) this.#schedule(OTHER_NODE_MS * (1 + this.#parts.random()))
      else void this.#fetch('background')
    })
  }

  /** Takes keys that another node has fetched, or this one before it was restarted, if they are newer. */
  adopt(stored: StoredKeySet): void {
    try {
      this.#served.adopt(stored, this.#parts.clock.now())
    } catch (error) {
      this.#parts.log.warn({ signerId: this.source.id, err: error }, 'the stored keys of a signer cannot be read')
    }
  }

  /** Comes back when the kid is known, or has been looked for as far as the limits allow. */
  async lookFor(kid: string): Promise<void> {
    const startedBefore = this.#started
    await this.#loading
    while (!this.#isStopped && !this.keys().has(kid)) {
      if (this.#running !== undefined) {
        if (this.#laneOfRequests() === 'urgent') this.#parts.queue.promote(this.source.id)
      } else {
        const hasLooked = this.#started > startedBefore
        if (hasLooked || !this.#takeUnknownKidFetch()) return
        void this.#fetch(this.#laneOfRequests(), 'unknown-kid')
      }
      await this.#running
    }
  }

  /** Fetches now, for an administrator; what is under way began too early to count. Rejects with `OutboundError`. */
  refresh(): Promise<void> {
    this.#adminRefresh ??= this.#refreshSoon()
    return this.#adminRefresh
  }

  facts(): ProviderFacts {
    const { clock, scheduler } = this.#parts
    const now = clock.now()
    const { fetchedAt } = this.#served
    return {
      keys: this.keys(),
      lastSuccessAt: fetchedAt,
      lastError: this.#failure?.error.message,
      nextRefreshAt: this.#due === undefined ? undefined : now + Math.max(0, this.#due - scheduler.elapsedMs()),
      isStale: fetchedAt !== undefined && this.#failure !== undefined && fetchedAt <= this.#failure.at,
      warnings: this.#served.warnings(now),
      failedFetches: this.#failedFetches,
    }
  }

  stop(): void {
    this.#stopped.abort()
    this.#cancelRefresh()
    this.#cancelDownWarning?.()
    this.#parts.queue.drop(this.source.id)
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted
  }

  /** A provider that is down waits with the others that are, so that those which are up need not. */
  #laneOfRequests(): Lane {
    return this.#failures === 0 ? 'urgent' : 'background'
  }

  /** One budget for all doors and all callers. */
  #takeUnknownKidFetch(): boolean {
    const now = this.#parts.scheduler.elapsedMs()
    if (now < this.#noRetryBefore || now - this.#lastForced < this.#parts.timing.unknownKidMs) return false
    this.#lastForced = now
    return true
  }

  async #refreshSoon(): Promise<void> {
    const { scheduler, queue } = this.#parts
    try {
      await this.#loading
      const wait = this.#lastAdminRefresh + ADMIN_REFRESH_MS - scheduler.elapsedMs()
      if (wait > 0) await new Promise<void>((resolve) => scheduler.after(wait, resolve))
      queue.promote(this.source.id)
      while (this.#running !== undefined) await this.#running
      this.#lastAdminRefresh = scheduler.elapsedMs()
    } finally {
      // A refresh that is requested from here on needs a new fetch.
      this.#adminRefresh = undefined
    }
    await this.#fetch('urgent', 'administrator')
    if (this.#isStopped) throw new OutboundError('stopped', 'the signer has changed meanwhile')
    if (this.#failure) throw this.#failure.error
  }

  /** The fetch under way, or a new one. Never rejects. */
  #fetch(lane: Lane, why: FetchReason = 'refresh'): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    if (this.#running !== undefined) return this.#running
    this.#cancelRefresh()
    this.#due = undefined
    this.#running = this.#parts.queue
      .run(this.source.id, lane, () => this.#fetchOnce(why))
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  async #fetchOnce(why: FetchReason): Promise<void> {
    const { fetchJwks, clock, scheduler, random } = this.#parts
    const { id, url, caPem } = this.source
    this.#started++
    const asked = { at: clock.now(), elapsedMs: scheduler.elapsedMs() }
    try {
      const fetched = await fetchJwks({ url, caPem, why, signal: this.#stopped.signal })
      const { ageMs = 0 } = fetched
      const answered = { at: asked.at - ageMs, elapsedMs: asked.elapsedMs - ageMs }
      if (!this.#isStopped) this.#schedule(this.#accept(fetched, answered))
    } catch (error) {
      if (this.#isStopped) return
      this.#fail(error)
      await this.#adoptLater(this.#parts.load(id))
      this.#schedule(retryDelayMs(this.#failures, random()))
    }
  }

  /** Returns the delay until the next fetch. */
  #accept({ keySet, freshForMs }: FetchedKeySet, asked: Asked): number {
    const { timing, random, log } = this.#parts
    if (this.#failures > 0) log.info({ signerId: this.source.id }, 'the keys of a signer can be fetched again')
    this.#failures = 0
    this.#failure = undefined
    this.#noRetryBefore = Number.NEGATIVE_INFINITY
    this.#cancelDownWarning?.()
    this.#cancelDownWarning = undefined
    const toStore = this.#served.replace(keySet, asked)
    if (!toStore) return refreshDelayMs(0, { ...timing, minRefreshMs: EMPTY_SET_MS }, random())
    this.#parts.save(this.source.id, toStore).catch((error: unknown) => {
      log.warn({ signerId: this.source.id, err: error }, 'the keys of a signer could not be stored')
    })
    return refreshDelayMs(freshForMs, timing, random())
  }

  #fail(cause: unknown): void {
    const { clock, scheduler, timing, log } = this.#parts
    const error =
      cause instanceof OutboundError ? cause : new OutboundError('content', 'reading the keys failed', { cause })
    this.#failures++
    this.#failedFetches++
    this.#failure = { error, at: clock.now() }
    this.#noRetryBefore = scheduler.elapsedMs() + MIN_RETRY_MS
    const facts = { signerId: this.source.id, reason: error.reason, problem: error.message, failures: this.#failures }
    if (error !== cause) log.error({ ...facts, err: cause }, 'fetching the keys of a signer failed unexpectedly')
    else if (this.#failures === 1) log.warn(facts, 'the keys of a signer cannot be fetched')
    else log.debug(facts, 'the keys of a signer still cannot be fetched')
    this.#cancelDownWarning ??= scheduler.after(timing.staleWarningMs, () => {
      const problem = this.#failure?.error.message ?? error.message
      this.#warn('provider-down', `the keys could not be fetched for ${timing.staleWarningMs / 1000} s: ${problem}`)
    })
  }

  #schedule(ms: number): void {
    const { scheduler } = this.#parts
    if (this.#isStopped) return
    this.#due = scheduler.elapsedMs() + ms
    this.#scheduledFor = this.#served.fetchedAt
    this.#cancelRefresh = scheduler.after(ms, () => void this.#refreshIfDue())
  }

  /** How long the served keys stay fresh, whichever node has fetched them. */
  #freshForMs(): number {
    const { clock, timing, random } = this.#parts
    const { fetchedAt } = this.#served
    if (fetchedAt === undefined) return 0
    return fetchedAt + refreshDelayMs(undefined, timing, random()) - clock.now()
  }

  /** Another node may have been first: then its keys are taken, and nothing is fetched. */
  async #refreshIfDue(): Promise<void> {
    await this.#adoptLater(this.#parts.load(this.source.id))
    if (this.#isStopped || this.#running !== undefined) return
    const isNewer = this.#served.fetchedAt !== this.#scheduledFor
    const restMs = isNewer ? this.#freshForMs() : 0
    if (restMs > 0 && this.#failures === 0) this.#schedule(restMs)
    else void this.#fetch('background')
  }

  async #adoptLater(stored: Promise<StoredKeySet | undefined>): Promise<void> {
    try {
      const keySet = await stored
      if (keySet) this.adopt(keySet)
    } catch (error) {
      this.#parts.log.warn({ signerId: this.source.id, err: error }, 'the stored keys of a signer could not be loaded')
    }
  }

  #warn(kind: SignerKeyWarning['kind'], message: string): void {
    if (!this.#isStopped) this.#parts.warn({ kind, signerId: this.source.id, message })
  }
}
