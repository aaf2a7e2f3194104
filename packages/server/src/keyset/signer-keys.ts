import type { SignerKey, SignerKeys } from '@countersign/core'
import type { Logger } from 'pino'
import type { FetchJwks } from '../outbound/jwks-fetch.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import type { Clock } from '../platform/clock.ts'
import { type Scheduler, systemScheduler } from '../platform/scheduler.ts'
import type { Settings } from '../platform/settings/index.ts'
import type { KeySigner, StoredKeySet } from '../store/key-signer.ts'
import { type LoadedKeySigner, loadKeySigner } from '../store/reads/key-signer-reads.ts'
import type { Store } from '../store/store.ts'
import { createCertificateKeys } from './certificate-keys.ts'
import { startCertificateWatch } from './certificate-watch.ts'
import { createFetchQueue } from './fetch-queue.ts'
import { followSigners } from './follow-signers.ts'
import { certificateStatus, providerStatus, type SignerKeyStatus } from './key-status.ts'
import { type ProviderFacts, ProviderKeys, type ProviderKeysParts } from './provider-keys.ts'
import { refreshTiming } from './refresh-timing.ts'
import type { OnSignerKeyWarning, SignerKeyWarning } from './signer-key-warning.ts'

export interface SignerKeysParts {
  readonly store: Store
  readonly fetchJwks: FetchJwks
  /** Stores fetched keys for other nodes and the next start. */
  readonly saveKeySet: (keySet: StoredKeySet & { readonly signerId: string }) => Promise<unknown>
  readonly clock: Clock
  readonly settings: Pick<Settings, 'jwks'>
  readonly log: Logger
  readonly onWarning?: OnSignerKeyWarning
  readonly scheduler?: Scheduler
  /** From 0 to 1. */
  readonly random?: () => number
}

/** Keeps the keys of every signer ready. A signer is given as the caller knows it, so keys are never those of an earlier endpoint. */
export interface SignerKeyKeeper {
  /** What is known now. */
  keysOf(signer: KeySigner): SignerKeys
  /** The key of that kid. A known one is answered at once; an unknown one is looked for at the provider, as far as the limits allow. */
  keyFor(signer: KeySigner, kid: string): Promise<SignerKey | undefined>
  /** Fetches now. Rejects with `OutboundError` when the provider does not deliver; a certificate needs nothing. */
  refresh(signer: KeySigner): Promise<void>
  keyStatus(signer: KeySigner): SignerKeyStatus
  /** How many signers are served by keys that could not be refreshed. */
  countStale(): number
  /** What is known of the keys that are fetched, by signer. */
  providerFacts(): Iterable<readonly [signerId: string, facts: ProviderFacts]>
  /** Resolves when the signers have been read from the store for the first time. */
  readonly loaded: Promise<void>
  stop(): Promise<void>
}

const NO_KEYS: SignerKeys = new Map()
type FetchingSigner = KeySigner & { readonly jwksEndpoint: string }
type CertificateSigner = KeySigner & { readonly certPem: string }

/** Starts keeping the keys of the store's signers, now and as they change. Nothing waits for any provider. */
export function createSignerKeys(parts: SignerKeysParts): SignerKeyKeeper {
  const { store, clock, settings, log, scheduler = systemScheduler } = parts
  const timing = refreshTiming(settings.jwks)
  const providers = new Map<string, { revision: number; readonly keys: ProviderKeys }>()
  const saving = new Set<Promise<unknown>>()

  const warn = (warning: SignerKeyWarning): void => {
    const { message, ...facts } = warning
    log.warn({ ...facts, problem: message }, 'the keys of a signer need attention')
    parts.onWarning?.(warning)
  }
  const certificateKeysOf = createCertificateKeys((signerId, message) =>
    warn({ kind: 'certificate-unusable', signerId, message }),
  )
  const watch = startCertificateWatch({ clock, scheduler }, warn)

  const shared: ProviderKeysParts = {
    ...parts,
    scheduler,
    timing,
    random: parts.random ?? Math.random,
    queue: createFetchQueue(settings.jwks.maxFetches),
    load: async (id) => (await loadKeySigner(store, id))?.keySet,
    save: (signerId, keySet) => {
      const write = parts.saveKeySet({ signerId, ...keySet })
      saving.add(write)
      return write.finally(() => saving.delete(write))
    },
    warn,
  }

  const dropProvider = (id: string): void => {
    providers.get(id)?.keys.stop()
    providers.delete(id)
  }

  const forget = (id: string): void => {
    dropProvider(id)
    watch.forget(id)
  }

  /** The provider of a signer as somebody knows it; what is known of a later revision stands. */
  const apply = (
    signer: FetchingSigner,
    stored: () => Promise<StoredKeySet | undefined>,
    by = { isOfAnotherNode: false },
  ): ProviderKeys => {
    const known = providers.get(signer.id)
    const source = { id: signer.id, url: signer.jwksEndpoint, caPem: signer.jwksCaPem ?? undefined }
    if (known && (known.revision > signer.revision || isSameSource(known.keys.source, source))) {
      known.revision = Math.max(known.revision, signer.revision)
      return known.keys
    }
    known?.keys.stop()
    const keys = new ProviderKeys(source, shared)
    providers.set(signer.id, { revision: signer.revision, keys })
    keys.start(stored(), by)
    return keys
  }

  const take = ({ signer, certificateEndsAt, keySet }: LoadedKeySigner, by: { isOfAnotherNode: boolean }): void => {
    if (isCertificateSigner(signer) && signer.enabled) {
      dropProvider(signer.id)
      if (certificateEndsAt !== null) watch.follow(signer.id, certificateEndsAt)
    } else if (isFetchingSigner(signer) && signer.enabled) {
      watch.forget(signer.id)
      const keys = apply(signer, () => Promise.resolve(keySet), by)
      if (keySet) keys.adopt(keySet)
    } else forget(signer.id)
  }

  const following = followSigners({ store, scheduler, log, take, forget, knownIds: () => [...providers.keys()] })

  /** Undefined where a later revision has gone elsewhere. */
  const providerOf = (signer: KeySigner): ProviderKeys | undefined => {
    if (!signer.enabled || !isFetchingSigner(signer)) return undefined
    if (!providers.has(signer.id)) following.reload(signer.id)
    const keys = apply(signer, () => shared.load(signer.id))
    return keys.source.url === signer.jwksEndpoint ? keys : undefined
  }

  const keysOf = (signer: KeySigner): SignerKeys => {
    if (isCertificateSigner(signer)) return certificateKeysOf(signer).keys
    return providerOf(signer)?.keys() ?? NO_KEYS
  }

  return {
    keysOf,
    keyFor: async (signer, kid) => {
      const known = keysOf(signer).get(kid)
      const provider = known ? undefined : providerOf(signer)
      if (!provider) return known
      await withinMs(scheduler, timing.maxWaitMs, provider.lookFor(kid))
      return keysOf(signer).get(kid)
    },
    refresh: async (signer) => {
      if (isCertificateSigner(signer)) return
      const provider = providerOf(signer)
      if (!provider) throw new OutboundError('stopped', 'the signer is disabled, so its keys are not fetched')
      await provider.refresh()
    },
    keyStatus: (signer) =>
      isCertificateSigner(signer)
        ? certificateStatus(certificateKeysOf(signer))
        : providerStatus(providerOf(signer)?.facts()),
    countStale: () => [...providers.values()].filter(({ keys }) => keys.facts().isStale).length,
    providerFacts: () => [...providers].map(([id, { keys }]) => [id, keys.facts()] as const),
    loaded: following.loaded,
    stop: async () => {
      following.stop()
      watch.stop()
      for (const { keys } of providers.values()) keys.stop()
      providers.clear()
      await Promise.allSettled(saving)
    },
  }
}

function isSameSource(a: ProviderKeys['source'], b: ProviderKeys['source']): boolean {
  return a.url === b.url && a.caPem === b.caPem
}

function isFetchingSigner(signer: KeySigner): signer is FetchingSigner {
  return signer.jwksEndpoint !== null && signer.certPem === null
}

function isCertificateSigner(signer: KeySigner): signer is CertificateSigner {
  return signer.certPem !== null
}

/** Comes back when the work is done or so long has passed. */
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
