import { pinnedKeys, type SignerKey, type SignerKeys, type UnusedKey } from '@countersign/core'
import type { Logger } from 'pino'
import type { JwksEndpointPolicy } from '../outbound/jwks-endpoint-policy.ts'
import type { FetchJwks } from '../outbound/jwks-fetch.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { Clock } from '../platform/clock.ts'
import { type Scheduler, systemScheduler } from '../platform/scheduler.ts'
import type { Settings } from '../platform/settings/index.ts'
import { type KeySigner, type NewKeySet, type StoredKeySet, untrustedOwnerOf } from '../store/key-signer.ts'
import { type LoadedKeySigner, loadKeySigner } from '../store/reads/key-signer-reads.ts'
import type { Store } from '../store/store.ts'
import { CertificateWatch } from './certificate-watch.ts'
import { FetchQueue } from './fetch-queue.ts'
import { instant, notPinned, pinnedStatus, providerStatus, type SignerKeyStatus, staticStatus } from './key-status.ts'
import { NewestKeySets } from './newest-key-sets.ts'
import { type ProviderFacts, ProviderKeys, type ProviderKeysParts, type ProviderSource } from './provider-keys.ts'
import { PushedKeys } from './pushed-keys.ts'
import { refreshTiming } from './refresh-timing.ts'
import { SignerFollower } from './signer-follower.ts'
import type { OnSignerKeyWarning, SignerKeyWarning } from './signer-key-warning.ts'
import { hasStaticKeys, StaticKeys } from './static-keys.ts'
import { type ReserveKeyFetch, UnknownKidBudget } from './unknown-kid-budget.ts'

export interface SignerKeysParts {
  readonly store: Store
  readonly fetchJwks: FetchJwks
  readonly endpoints: Pick<JwksEndpointPolicy, 'findRefusal'>
  /** Stores fetched keys for other nodes and for the next start. Returns `pending` when they wait for a confirmation. */
  readonly saveKeySet: (keySet: NewKeySet & { readonly signerId: string }) => Promise<unknown>
  /** Opens the sealed `jwksAuthorization` of a signer. */
  readonly openAuthorization: (signerId: string, sealed: string) => string
  /** Takes from the budget of an endpoint that all nodes share. */
  readonly reserveKeyFetch: ReserveKeyFetch
  readonly clock: Clock
  readonly settings: Pick<Settings, 'jwks'>
  readonly log: Logger
  readonly onWarning?: OnSignerKeyWarning
  readonly scheduler?: Scheduler
  /** From 0 to 1. */
  readonly random?: () => number
}

const NO_KEYS: SignerKeys = new Map()
type FetchingSigner = KeySigner & { readonly jwksEndpoint: string }
type PushedSigner = KeySigner & { readonly pushedKeys: NonNullable<KeySigner['pushedKeys']> }

interface PinnedKeys extends ReturnType<typeof pinnedKeys> {
  readonly of: SignerKeys
  readonly pins: readonly string[]
  /** What was reported of the keys that are ignored. */
  readonly report: string
}

/** The keys that one signer fetches, and the latest known revision of the signer. */
interface KnownProvider {
  revision: number
  readonly keys: ProviderKeys
  /** Whether nothing is fetched. Only what the follower reads decides: a request may know an earlier state. */
  readonly isPaused: boolean
}

/**
 * The keys of all signers in memory, updated as signers change. Only `keyFor` and `refresh` wait for a provider. Callers pass the signer as
 * they know it, so that the keys never come from an earlier endpoint.
 */
export class KeySets {
  /** Resolves when all signers have been read from the store once. */
  readonly loaded: Promise<void>
  readonly #scheduler: Scheduler
  readonly #maxWaitMs: number
  readonly #static: StaticKeys
  readonly #watch: CertificateWatch
  readonly #shared: ProviderKeysParts
  readonly #parts: SignerKeysParts
  readonly #warn: OnSignerKeyWarning
  readonly #providers = new Map<string, KnownProvider>()
  readonly #pushed = new Map<string, PushedKeys>()
  /** The keys that the pins of a signer leave. */
  readonly #pinned = new Map<string, PinnedKeys>()
  readonly #saving = new Set<Promise<unknown>>()
  readonly #follower: SignerFollower

  constructor(parts: SignerKeysParts) {
    const { store, clock, settings, log, scheduler = systemScheduler, random = Math.random } = parts
    const timing = refreshTiming(settings.jwks)
    const warn = (warning: SignerKeyWarning): void => {
      const { message, ...facts } = warning
      log.warn({ ...facts, problem: message }, 'the keys of a signer need attention')
      parts.onWarning?.(warning)
    }
    this.#scheduler = scheduler
    this.#maxWaitMs = timing.maxWaitMs
    this.#parts = parts
    this.#warn = warn
    this.#static = new StaticKeys((signerId, message) => warn({ kind: 'certificate-unusable', signerId, message }))
    this.#watch = new CertificateWatch({ clock, scheduler, warn })
    this.#shared = {
      ...parts,
      scheduler,
      timing,
      random,
      queue: new FetchQueue(settings.jwks.maxFetches),
      newest: new NewestKeySets(),
      unknownKids: new UnknownKidBudget({
        reserve: parts.reserveKeyFetch,
        refillMs: timing.unknownKidMs,
        scheduler,
        log,
      }),
      load: async (id) => (await loadKeySigner(store, id))?.keySet,
      save: (signerId, keySet) => this.#save(parts.saveKeySet({ signerId, ...keySet })),
      warn,
    }
    this.#follower = new SignerFollower({
      store,
      scheduler,
      log,
      onLoaded: (loaded, by) => this.#put(loaded, by),
      onDeleted: (id) => this.#delete(id),
      knownIds: () => [...this.#providers.keys()],
    })
    this.loaded = this.#follower.loaded
  }

  /** Resolves when keys that another process stored before this request are known; undefined when they are. */
  reading({ id }: Pick<KeySigner, 'id'>): Promise<void> | undefined {
    return this.#follower.reading(id)
  }

  /** Returns the keys that are known now, and may be used. */
  keysOf(signer: KeySigner): SignerKeys {
    const keys = this.#allKeysOf(signer)
    return signer.pinnedKeyThumbprints?.length ? this.#pinnedOf(signer, keys).used : keys
  }

  /** The keys of the provider that are known but not used, by kid. For explanations. */
  unusedKeysOf(signer: KeySigner): ReadonlyMap<string, UnusedKey> {
    const { ignored } = pinnedKeys(this.#allKeysOf(signer), signer.pinnedKeyThumbprints ?? [])
    const pending = this.#providerOf(signer)?.facts().pending ?? NO_KEYS
    return new Map<string, UnusedKey>([
      ...[...pending.keys()].map((kid) => [kid, 'unconfirmed'] as const),
      ...ignored.map(({ kid }) => [kid, 'not-pinned'] as const),
    ])
  }

  #allKeysOf(signer: KeySigner): SignerKeys {
    if (hasStaticKeys(signer)) return this.#static.keySetOf(signer).keys
    if (isPushedSigner(signer)) return this.#pushedOf(signer)?.keys() ?? NO_KEYS
    return this.#providerOf(signer)?.keys() ?? NO_KEYS
  }

  /** The same keys stay the same map, as the cache of verified tokens needs it. Warns once about those that are ignored. */
  #pinnedOf({ id, pinnedKeyThumbprints: pins = [] }: KeySigner, keys: SignerKeys): PinnedKeys {
    const known = this.#pinned.get(id)
    if (known?.of === keys && isSameList(known.pins, pins)) return known
    const { used, ignored } = pinnedKeys(keys, pins)
    const report = ignored.map(notPinned).join('; ')
    this.#pinned.set(id, { of: keys, pins, used, ignored, report })
    if (report !== '' && report !== known?.report)
      this.#warn({ kind: 'keys-not-pinned', signerId: id, message: report })
    return { of: keys, pins, used, ignored, report }
  }

  /** Returns the key with this kid. For an unknown kid, fetches the provider's keys within the limits. */
  async keyFor(signer: KeySigner, kid: string): Promise<SignerKey | undefined> {
    if (isPushedSigner(signer)) await this.#follower.reading(signer.id)
    const known = this.keysOf(signer).get(kid)
    const provider = known ? undefined : this.#providerOf(signer)
    if (!provider) return known
    await withinMs(this.#scheduler, this.#maxWaitMs, provider.fetchUnknownKid(kid))
    return this.keysOf(signer).get(kid)
  }

  /** Fetches now, and stores the keys for other processes. Rejects with `OutboundError` when the fetch fails. Does nothing for keys that are not fetched. */
  async refresh(signer: KeySigner): Promise<void> {
    if (hasStaticKeys(signer) || isPushedSigner(signer)) return
    const provider = this.#providerOf(signer)
    if (!provider) throw new OutboundError('stopped', 'the signer is disabled, so its keys are not fetched')
    await provider.refresh()
  }

  keyStatus(signer: KeySigner): SignerKeyStatus {
    const status = this.#statusOf(signer)
    if (!signer.pinnedKeyThumbprints?.length) return status
    return pinnedStatus(status, this.#pinnedOf(signer, this.#allKeysOf(signer)))
  }

  #statusOf(signer: KeySigner): SignerKeyStatus {
    if (hasStaticKeys(signer)) return staticStatus(this.#static.keySetOf(signer), Boolean(signer.jwks))
    if (!isPushedSigner(signer)) return providerStatus(this.#providerOf(signer)?.facts())
    const pushed = this.#pushedOf(signer)
    return { ...providerStatus(pushed?.facts(), 'pushed'), staleAt: instant(pushed?.staleAt) }
  }

  /** Number of signers whose keys could not be refreshed, or were pushed too long ago. */
  countStale(): number {
    return [...this.providerFacts()].filter(([, { isStale }]) => isStale).length
  }

  /** State of the fetched and pushed keys, by signer. */
  providerFacts(): Iterable<readonly [signerId: string, facts: ProviderFacts]> {
    const sources = [...[...this.#providers].map(([id, { keys }]) => [id, keys] as const), ...this.#pushed]
    return sources.map(([id, keys]) => [id, keys.facts()] as const)
  }

  /** Resolves when all fetched key sets are stored. */
  async stop(): Promise<void> {
    this.#follower.stop()
    this.#watch.stop()
    for (const { keys } of this.#providers.values()) keys.stop()
    this.#providers.clear()
    for (const keys of this.#pushed.values()) keys.stop()
    this.#pushed.clear()
    await Promise.allSettled(this.#saving)
  }

  /** Undefined for a disabled signer. The keys are read when they are not known yet. */
  #pushedOf({ id, enabled, pushedKeys }: PushedSigner): PushedKeys | undefined {
    if (!enabled) return undefined
    const known = this.#pushed.get(id)
    if (known?.maxAgeMs === pushedKeys.maxAgeSeconds * 1000) return known
    known?.stop()
    const { clock, log } = this.#parts
    const parts = { clock, log, scheduler: this.#scheduler, warn: this.#warn }
    const keys = new PushedKeys(id, pushedKeys.maxAgeSeconds, parts)
    this.#pushed.set(id, keys)
    this.#follower.reload(id)
    return keys
  }

  /** Undefined for a signer that fetches no keys, and when a later revision uses another endpoint. */
  #providerOf(signer: KeySigner): ProviderKeys | undefined {
    if (!signer.enabled || !isFetchingSigner(signer)) return undefined
    if (!this.#providers.has(signer.id)) this.#follower.reload(signer.id)
    const keys = this.#apply(signer, () => this.#shared.load(signer.id))
    return keys.source.url === signer.jwksEndpoint ? keys : undefined
  }

  /** Returns the keys of a signer at this revision. A known later revision takes precedence. */
  #apply(
    signer: FetchingSigner,
    stored: () => Promise<StoredKeySet | undefined>,
    { isPaused = false, ...by }: { readonly isPaused?: boolean; readonly isFromAnotherNode?: boolean } = {},
  ): ProviderKeys {
    const known = this.#providers.get(signer.id)
    const { id, jwksEndpoint: url } = signer
    const untrustedOwner = untrustedOwnerOf(signer)
    const source = {
      id,
      owner: untrustedOwner ?? id,
      untrustedOwner,
      url,
      caPem: signer.jwksCaPem ?? undefined,
      authorization: signer.jwksAuthorization ?? undefined,
      requiresContinuity: signer.requireKeyContinuity ?? false,
    }
    if (known && (known.revision > signer.revision || isSameSource(known.keys.source, source))) {
      known.revision = Math.max(known.revision, signer.revision)
      return known.keys
    }
    known?.keys.stop()
    const keys = new ProviderKeys(source, this.#shared)
    this.#providers.set(signer.id, { revision: signer.revision, keys, isPaused })
    keys.start(stored(), by)
    if (isPaused) keys.stop()
    return keys
  }

  #put({ signer, certificateEnds, keySet }: LoadedKeySigner, by: { isFromAnotherNode: boolean }): void {
    if (!isPushedSigner(signer)) this.#dropPushed(signer.id)
    if (hasStaticKeys(signer) && signer.enabled) {
      this.#dropProvider(signer.id)
      this.#watch.watch(signer.id, certificateEnds)
    } else if (isPushedSigner(signer) && signer.enabled) {
      this.#dropProvider(signer.id)
      this.#watch.unwatch(signer.id)
      const keys = this.#pushedOf(signer)
      if (keySet) keys?.adopt(keySet)
    } else if (isFetchingSigner(signer) && signer.enabled) {
      this.#watch.unwatch(signer.id)
      const { isPaused = false } = signer
      if (this.#providers.get(signer.id)?.isPaused === !isPaused) this.#dropProvider(signer.id)
      const keys = this.#apply(signer, () => Promise.resolve(keySet), { ...by, isPaused })
      if (keySet) keys.adopt(keySet)
    } else this.#delete(signer.id)
  }

  #delete(id: string): void {
    this.#dropProvider(id)
    this.#dropPushed(id)
    this.#pinned.delete(id)
    this.#watch.unwatch(id)
  }

  #dropProvider(id: string): void {
    this.#providers.get(id)?.keys.stop()
    this.#providers.delete(id)
  }

  #dropPushed(id: string): void {
    this.#pushed.get(id)?.stop()
    this.#pushed.delete(id)
  }

  #save(write: Promise<unknown>): Promise<unknown> {
    this.#saving.add(write)
    return write.finally(() => this.#saving.delete(write))
  }
}

function isSameSource(a: ProviderSource, b: ProviderSource): boolean {
  const names = ['url', 'caPem', 'owner', 'authorization', 'requiresContinuity'] as const
  return names.every((name) => a[name] === b[name])
}

function isFetchingSigner(signer: KeySigner): signer is FetchingSigner {
  return signer.jwksEndpoint !== null && !hasStaticKeys(signer) && !isPushedSigner(signer)
}

function isPushedSigner(signer: KeySigner): signer is PushedSigner {
  return (signer.pushedKeys ?? null) !== null
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((value, index) => value === other[index]))
}

/** Resolves when `work` resolves, or after `ms`. */
async function withinMs(scheduler: Scheduler, ms: number, work: Promise<void>): Promise<void> {
  let cancel = (): void => {}
  const late = new Promise<void>((resolve) => {
    cancel = scheduler.after(ms, resolve)
  })
  try {
    await Promise.race([work, late])
  } finally {
    cancel()
  }
}
