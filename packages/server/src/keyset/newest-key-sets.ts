import { createLruCache, type SignerKeys } from '@countersign/core'
import { endpointName, type KeyEndpoint, type StoredKeySet } from '../store/key-signer.ts'

interface NewestKeySet {
  readonly stored: StoredKeySet
  /** If they have been parsed. */
  readonly keys: SignerKeys | undefined
}

/** A key set has up to 262 KB. */
const MAX_ENDPOINTS = 100

/**
 * The newest key set of each endpoint, whichever signer and node it was fetched for. An endpoint has one budget for unknown kids, so the signer
 * that spent it must not keep new keys from the others.
 */
export class NewestKeySets {
  readonly #sets = createLruCache<string, NewestKeySet>(MAX_ENDPOINTS)

  /** A set from the future was stored by a node with a wrong clock: it does not count. */
  note(stored: StoredKeySet, now: number, keys?: SignerKeys): void {
    const known = this.find(stored)?.stored.fetchedAt ?? Number.NEGATIVE_INFINITY
    if (stored.fetchedAt > known && stored.fetchedAt <= now) this.#sets.set(endpointName(stored), { stored, keys })
  }

  find(endpoint: KeyEndpoint): NewestKeySet | undefined {
    return this.#sets.get(endpointName(endpoint))
  }
}
