import type { SignerKey, SignerKeys } from '@countersign/core'
import type { Logger } from 'pino'
import type { JwksEndpointPolicy } from '../outbound/jwks-endpoint-policy.ts'
import type { FetchJwks } from '../outbound/jwks-fetch.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { Clock } from '../platform/clock.ts'
import { type Scheduler, systemScheduler } from '../platform/scheduler.ts'
import type { Settings } from '../platform/settings/index.ts'
import { type KeySigner, type StoredKeySet, untrustedOwnerOf } from '../store/key-signer.ts'
import { type LoadedKeySigner, loadKeySigner } from '../store/reads/key-signer-reads.ts'
import type { Store } from '../store/store.ts'
import { CertificateKeys } from './certificate-keys.ts'
import { CertificateWatch } from './certificate-watch.ts'
import { FetchQueue } from './fetch-queue.ts'
import { certificateStatus, providerStatus, type SignerKeyStatus } from './key-status.ts'
import { NewestKeySets } from './newest-key-sets.ts'
import { type ProviderFacts, ProviderKeys, type ProviderKeysParts, type ProviderSource } from './provider-keys.ts'
import { refreshTiming } from './refresh-timing.ts'
import { SignerFollower } from './signer-follower.ts'
import type { OnSignerKeyWarning, SignerKeyWarning } from './signer-key-warning.ts'
import { type ReserveKeyFetch, UnknownKidBudget } from './unknown-kid-budget.ts'

export interface SignerKeysParts {
  readonly store: Store
  readonly fetchJwks: FetchJwks
  readonly endpoints: Pick<JwksEndpointPolicy, 'findRefusal'>
  /** Stores fetched keys for other nodes and for the next start. */
  readonly saveKeySet: (keySet: StoredKeySet & { readonly signerId: string }) => Promise<unknown>
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
type CertificateSigner = KeySigner & { readonly certPem: string }

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
  readonly #certificates: CertificateKeys
  readonly #watch: CertificateWatch
  readonly #shared: ProviderKeysParts
  readonly #providers = new Map<string, KnownProvider>()
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
    this.#certificates = new CertificateKeys((signerId, message) =>
      warn({ kind: 'certificate-unusable', signerId, message }),
    )
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

  /** Returns the keys that are known now. */
  keysOf(signer: KeySigner): SignerKeys {
    if (isCertificateSigner(signer)) return this.#certificates.keySetOf(signer).keys
    return this.#providerOf(signer)?.keys() ?? NO_KEYS
  }

  /** Returns the key with this kid. For an unknown kid, fetches the provider's keys within the limits. */
  async keyFor(signer: KeySigner, kid: string): Promise<SignerKey | undefined> {
    const known = this.keysOf(signer).get(kid)
    const provider = known ? undefined : this.#providerOf(signer)
    if (!provider) return known
    await withinMs(this.#scheduler, this.#maxWaitMs, provider.fetchUnknownKid(kid))
    return this.keysOf(signer).get(kid)
  }

  /** Fetches now, and stores the keys for other processes. Rejects with `OutboundError` when the fetch fails. Does nothing for a certificate signer. */
  async refresh(signer: KeySigner): Promise<void> {
    if (isCertificateSigner(signer)) return
    const provider = this.#providerOf(signer)
    if (!provider) throw new OutboundError('stopped', 'the signer is disabled, so its keys are not fetched')
    await provider.refresh()
  }

  keyStatus(signer: KeySigner): SignerKeyStatus {
    return isCertificateSigner(signer)
      ? certificateStatus(this.#certificates.keySetOf(signer))
      : providerStatus(this.#providerOf(signer)?.facts())
  }

  /** Number of signers whose keys could not be refreshed. */
  countStale(): number {
    return [...this.#providers.values()].filter(({ keys }) => keys.facts().isStale).length
  }

  /** State of the fetched keys, by signer. */
  providerFacts(): Iterable<readonly [signerId: string, facts: ProviderFacts]> {
    return [...this.#providers].map(([id, { keys }]) => [id, keys.facts()] as const)
  }

  /** Resolves when all fetched key sets are stored. */
  async stop(): Promise<void> {
    this.#follower.stop()
    this.#watch.stop()
    for (const { keys } of this.#providers.values()) keys.stop()
    this.#providers.clear()
    await Promise.allSettled(this.#saving)
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
    const source = { id, owner: untrustedOwner ?? id, untrustedOwner, url, caPem: signer.jwksCaPem ?? undefined }
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

  #put({ signer, certificateEndsAt, keySet }: LoadedKeySigner, by: { isFromAnotherNode: boolean }): void {
    if (isCertificateSigner(signer) && signer.enabled) {
      this.#dropProvider(signer.id)
      if (certificateEndsAt !== null) this.#watch.watch(signer.id, certificateEndsAt)
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
    this.#watch.unwatch(id)
  }

  #dropProvider(id: string): void {
    this.#providers.get(id)?.keys.stop()
    this.#providers.delete(id)
  }

  #save(write: Promise<unknown>): Promise<unknown> {
    this.#saving.add(write)
    return write.finally(() => this.#saving.delete(write))
  }
}

function isSameSource(a: ProviderSource, b: ProviderSource): boolean {
  return a.url === b.url && a.caPem === b.caPem && a.owner === b.owner
}

function isFetchingSigner(signer: KeySigner): signer is FetchingSigner {
  return signer.jwksEndpoint !== null && signer.certPem === null
}

function isCertificateSigner(signer: KeySigner): signer is CertificateSigner {
  return signer.certPem !== null
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
