import type { KeySet, SignerKeys } from '@countersign/core'
import type { Logger } from 'pino'
import type { JwksEndpointPolicy } from '../outbound/jwks-endpoint-policy.ts'
import type { FetchedKeySet, FetchJwks, FetchReason } from '../outbound/jwks-fetch.ts'
import { OutboundError, type OutboundReason } from '../outbound/outbound-error.ts'
import type { Clock } from '../platform/clock.ts'
import type { Scheduler } from '../platform/scheduler.ts'
import {
  endpointName,
  isSameEndpoint,
  type KeyEndpoint,
  keyEndpoint,
  type NewKeySet,
  type StoredKeySet,
} from '../store/key-signer.ts'
import { AbsentKids } from './absent-kids.ts'
import type { FetchPriority, FetchQueue } from './fetch-queue.ts'
import type { NewestKeySets } from './newest-key-sets.ts'
import {
  ADMIN_REFRESH_MS,
  EMPTY_SET_MS,
  MIN_RETRY_MS,
  OTHER_NODE_MS,
  type RefreshTiming,
  refreshDelayMs,
  retryDelayMs,
} from './refresh-timing.ts'
import { type RequestTime, ServedKeys } from './served-keys.ts'
import type { SignerKeyWarning } from './signer-key-warning.ts'
import { readStoredKeys } from './stored-key-set.ts'
import type { UnknownKidBudget } from './unknown-kid-budget.ts'

/** Shared by the keys of all providers. */
export interface ProviderKeysParts {
  readonly fetchJwks: FetchJwks
  readonly endpoints: Pick<JwksEndpointPolicy, 'findRefusal'>
  readonly queue: FetchQueue
  readonly unknownKids: UnknownKidBudget
  readonly newest: NewestKeySets
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** From 0 to 1. */
  readonly random: () => number
  readonly timing: RefreshTiming
  readonly log: Logger
  load(signerId: string): Promise<StoredKeySet | undefined>
  /** Returns `pending` when the keys wait for a confirmation. */
  save(signerId: string, keySet: NewKeySet): Promise<unknown>
  /** Returns the header of a sealed `jwksAuthorization`. */
  openAuthorization(signerId: string, sealed: string): string
  warn(warning: SignerKeyWarning): void
}

export interface ProviderFacts {
  readonly keys: SignerKeys
  readonly lastSuccessAt: number | undefined
  readonly lastError: string | undefined
  readonly nextRefreshAt: number | undefined
  /** The last fetch failed, and the keys are older. */
  readonly isStale: boolean
  readonly warnings: readonly string[]
  /** Failures since `start`. */
  readonly failedFetches: number
  /** Fetched keys that wait for a confirmation. */
  readonly pending?: SignerKeys | undefined
}

export interface ProviderSource {
  readonly id: string
  /** In whose name the keys are fetched: the untrusted owner, who has one share for all their signers, or the signer itself. */
  readonly owner: string
  readonly untrustedOwner: string | undefined
  readonly url: string
  readonly caPem: string | undefined
  /** The header with which the keys are fetched, sealed. */
  readonly authorization: string | undefined
  /** Whether keys that share none with the earlier ones wait for a confirmation. */
  readonly requiresContinuity: boolean
}

const NO_KEYS: SignerKeys = new Map()

const UNCONFIRMED =
  'the provider published a key set that shares no key with the earlier one: the earlier keys stay in use until the new ones are confirmed'

/** The fetch was not tried, because the outbound policy forbids the endpoint. */
const POLICY_REFUSALS: readonly OutboundReason[] = ['endpoint-refused', 'address-refused']

/** The keys that one signer fetches from one endpoint, from `start` until `stop`. Schedules the fetches. */
export class ProviderKeys {
  readonly source: ProviderSource
  readonly #parts: ProviderKeysParts
  readonly #endpoint: KeyEndpoint
  readonly #served: ServedKeys
  readonly #absentKids = new AbsentKids()
  readonly #stopped = new AbortController()
  #loading: Promise<void> | undefined
  #running: Promise<void> | undefined
  /** Resolves when the latest keys are stored, with the error when they could not be. */
  #saved: Promise<unknown> = Promise.resolve()
  /** Keys that wait for a confirmation, and their text. */
  #pending: { readonly jwks: string; readonly keys: SignerKeys } | undefined
  #started = 0
  #failures = 0
  #failedFetches = 0
  #failure: { readonly error: OutboundError; readonly at: number } | undefined
  /** Whether the outbound policy refuses the endpoint: by its URL, or by its addresses when they were last resolved. */
  #isRefused: boolean
  #noRetryBefore = Number.NEGATIVE_INFINITY
  #reserving: Promise<boolean> | undefined
  #lastAdminRefresh = Number.NEGATIVE_INFINITY
  #adminRefresh: Promise<void> | undefined
  #due: number | undefined
  /** `fetchedAt` of the keys that the scheduled refresh replaces. */
  #scheduledFor: number | undefined
  #cancelRefresh = (): void => {}
  #cancelDownWarning: (() => void) | undefined

  constructor(source: ProviderSource, parts: ProviderKeysParts) {
    this.source = source
    this.#parts = parts
    this.#isRefused = parts.endpoints.findRefusal(source.url) !== undefined
    this.#endpoint = keyEndpoint(source.url, source.caPem)
    this.#served = new ServedKeys(this.#endpoint, parts.timing.maxStaleMs, (kind, message) => this.#warn(kind, message))
  }

  /** Returns the keys that may be used now. None while the endpoint is refused, even if another node or an earlier process fetched some. */
  keys(): SignerKeys {
    return this.#isRefused ? NO_KEYS : this.#served.keys(this.#parts.clock.now())
  }

  /**
   * Uses the stored keys, and fetches unless they are fresh. Returns at once. When another node created or changed the signer, that node
   * fetches, and this node only if the other does not.
   */
  start(stored: Promise<StoredKeySet | undefined>, { isFromAnotherNode = false } = {}): void {
    this.#loading = this.#adoptLater(stored).finally(() => {
      this.#loading = undefined
      const restMs = this.#freshForMs()
      if (restMs > 0) this.#schedule(restMs)
      else if (isFromAnotherNode) this.#schedule(OTHER_NODE_MS * (1 + this.#parts.random()))
      else void this.#fetch('background')
    })
  }

  /** Uses stored keys, which another node or an earlier process fetched, if they are newer. */
  adopt(stored: StoredKeySet): void {
    const { clock, newest } = this.#parts
    try {
      this.#served.adopt(stored, clock.now())
      this.#notePending(stored)
      if (this.#sharesKeys) newest.note(stored, clock.now())
    } catch (error) {
      this.#parts.log.warn({ signerId: this.source.id, err: error }, 'the stored keys of a signer cannot be read')
    }
  }

  /** Resolves when the kid is known, or when the limits allow no further fetch. */
  async fetchUnknownKid(kid: string): Promise<void> {
    const startedBefore = this.#started
    await this.#loading
    while (!this.#isStopped && !this.keys().has(kid)) {
      if (this.#running !== undefined) {
        if (this.#requestPriority() === 'urgent') this.#parts.queue.promote(this.source)
        await this.#running
        continue
      }
      this.#adoptNewest()
      const [keys, now] = [this.keys(), this.#parts.scheduler.elapsedMs()]
      if (keys.has(kid)) return
      if (this.#started > startedBefore) {
        if (this.#failures === 0) this.#absentKids.note(kid, keys, now)
        return
      }
      if (this.#absentKids.has(kid, keys, now)) return
      this.#reserving ??= this.#fetchIfAllowed().finally(() => {
        this.#reserving = undefined
      })
      if (!(await this.#reserving)) return
    }
  }

  /** Other signers at the endpoint may get other keys than one with a credential, and may not have waited for a confirmation. */
  get #sharesKeys(): boolean {
    return this.source.authorization === undefined && !this.source.requiresContinuity
  }

  /** Uses what was fetched for another signer, if it is newer. */
  #adoptNewest(): void {
    if (!this.#sharesKeys) return
    const newest = this.#parts.newest.find(this.#endpoint)
    if (newest) this.#served.adopt(newest.stored, this.#parts.clock.now(), newest.keys)
  }

  /** Fetches and stores, for an administrator. A running fetch began too early to count. Rejects with `OutboundError`, or the store's error. */
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
      warnings: [...(this.#pending ? [UNCONFIRMED] : []), ...this.#served.warnings(now)],
      failedFetches: this.#failedFetches,
      pending: this.#pending?.keys,
    }
  }

  stop(): void {
    this.#stopped.abort()
    this.#cancelRefresh()
    this.#cancelDownWarning?.()
    this.#parts.queue.drop(this.source)
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted
  }

  /** Providers that are down share the background priority, so that they do not delay working ones. */
  #requestPriority(): FetchPriority {
    return this.#failures === 0 ? 'urgent' : 'background'
  }

  /** Starts a fetch if the budget of the endpoint allows it, which trusted signers share. An untrusted owner has a budget of its own there. */
  async #fetchIfAllowed(): Promise<boolean> {
    if (this.#parts.scheduler.elapsedMs() < this.#noRetryBefore) return false
    if (!(await this.#parts.unknownKids.take(endpointName(this.#endpoint), this.source.untrustedOwner))) return false
    void this.#fetch(this.#requestPriority(), 'unknown-kid')
    return !this.#isStopped
  }

  async #refreshSoon(): Promise<void> {
    const { scheduler, queue } = this.#parts
    try {
      await this.#loading
      const wait = this.#lastAdminRefresh + ADMIN_REFRESH_MS - scheduler.elapsedMs()
      if (wait > 0) await new Promise<void>((resolve) => scheduler.after(wait, resolve))
      queue.promote(this.source)
      while (this.#running !== undefined) await this.#running
      this.#lastAdminRefresh = scheduler.elapsedMs()
    } finally {
      // A refresh requested from here on needs a new fetch.
      this.#adminRefresh = undefined
    }
    await this.#fetch('urgent', 'administrator')
    if (this.#isStopped) throw new OutboundError('stopped', 'the signer changed during the fetch')
    if (this.#failure) throw this.#failure.error
    // The administrator may have withdrawn a key: no other process may accept it once this is answered.
    const saveError = await this.#saved
    if (saveError) throw saveError
  }

  /** Returns the running fetch, or starts one. Never rejects. */
  #fetch(priority: FetchPriority, why: FetchReason = 'refresh'): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    if (this.#running !== undefined) return this.#running
    this.#cancelRefresh()
    this.#due = undefined
    this.#running = this.#parts.queue
      .run(this.source, priority, () => this.#fetchOnce(why))
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  async #fetchOnce(why: FetchReason): Promise<void> {
    const { fetchJwks, clock, scheduler, random } = this.#parts
    const { id, owner, url, caPem } = this.source
    this.#started++
    const requested = { at: clock.now(), elapsedMs: scheduler.elapsedMs() }
    try {
      const authorization = this.#openAuthorization()
      const fetched = await fetchJwks({ url, caPem, owner, why, authorization, signal: this.#stopped.signal })
      const { ageMs = 0 } = fetched
      const fetchedAt = { at: requested.at - ageMs, elapsedMs: requested.elapsedMs - ageMs }
      if (!this.#isStopped) this.#schedule(await this.#accept(fetched, fetchedAt))
    } catch (error) {
      if (this.#isStopped) return
      this.#fail(error)
      await this.#adoptLater(this.#parts.load(id))
      this.#schedule(retryDelayMs(this.#failures, random()))
    }
  }

  #openAuthorization(): string | undefined {
    const { id, authorization } = this.source
    if (authorization === undefined) return undefined
    try {
      return this.#parts.openAuthorization(id, authorization)
    } catch (cause) {
      throw new OutboundError('content', 'the stored jwksAuthorization cannot be opened: give it again', { cause })
    }
  }

  /** Returns the delay until the next fetch. */
  async #accept({ keySet, freshForMs }: FetchedKeySet, fetchedAt: RequestTime): Promise<number> {
    const { newest, clock, timing, random, log } = this.#parts
    if (this.#failures > 0) log.info({ signerId: this.source.id }, 'the keys of a signer can be fetched again')
    this.#failures = 0
    this.#failure = undefined
    this.#isRefused = false
    this.#noRetryBefore = Number.NEGATIVE_INFINITY
    this.#cancelDownWarning?.()
    this.#cancelDownWarning = undefined
    const toStore = this.#served.findReplacement(keySet, fetchedAt, clock.now())
    if (!toStore) return refreshDelayMs(0, { ...timing, minRefreshMs: EMPTY_SET_MS }, random())
    if (this.source.requiresContinuity) await this.#useIfConfirmed(keySet, toStore)
    else {
      this.#served.use(keySet, toStore)
      if (this.#sharesKeys) newest.note(toStore, clock.now(), keySet.keys)
      this.#saved = this.#save(toStore)
    }
    return refreshDelayMs(freshForMs, timing, random())
  }

  /** The transaction that stores the keys decides whether they wait: all nodes then have the same ones. Rejects when it fails. */
  async #useIfConfirmed(keySet: KeySet, toStore: NewKeySet): Promise<void> {
    const storing = await this.#parts.save(this.source.id, toStore)
    if (this.#isStopped) return
    if (storing === 'pending') this.#notePending({ ...toStore, pendingJwks: toStore.jwks })
    else {
      this.#pending = undefined
      this.#served.use(keySet, toStore)
    }
  }

  #notePending(stored: StoredKeySet): void {
    const { pendingJwks: jwks = null } = stored
    if (!isSameEndpoint(stored, this.#endpoint) || jwks === null || !this.source.requiresContinuity) {
      this.#pending = undefined
      return
    }
    if (jwks === this.#pending?.jwks) return
    this.#pending = { jwks, keys: readStoredKeys(jwks) }
    this.#warn('keys-unconfirmed', UNCONFIRMED)
  }

  async #save(keySet: NewKeySet): Promise<unknown> {
    const { save, log } = this.#parts
    try {
      await save(this.source.id, keySet)
      return undefined
    } catch (error) {
      log.warn({ signerId: this.source.id, err: error }, 'the keys of a signer could not be stored')
      return error
    }
  }

  #fail(cause: unknown): void {
    const { clock, scheduler, timing, log } = this.#parts
    const error =
      cause instanceof OutboundError ? cause : new OutboundError('content', 'reading the keys failed', { cause })
    this.#failures++
    this.#failedFetches++
    this.#isRefused ||= POLICY_REFUSALS.includes(error.reason)
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
    this.#cancelRefresh()
    this.#due = scheduler.elapsedMs() + ms
    this.#scheduledFor = this.#served.fetchedAt
    this.#cancelRefresh = scheduler.after(ms, () => void this.#refreshIfDue())
  }

  /** How long the served keys stay fresh, regardless of which node fetched them. */
  #freshForMs(): number {
    const { clock, timing, random } = this.#parts
    const { fetchedAt } = this.#served
    if (fetchedAt === undefined) return 0
    return fetchedAt + refreshDelayMs(undefined, timing, random()) - clock.now()
  }

  /** When another node has already refreshed, uses its keys and fetches nothing. */
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
