import { createLruCache, type SignerKeys } from '@countersign/core'
import type { StoredKeySet } from '../store/key-signer.ts'

/** Where keys are fetched from: with another CA, another server may have responded. */
interface Endpoint {
  readonly url: string
  readonly caPem: string | undefined
}

/** A fetched key set, and its keys, so that they are parsed once. */
interface NewestKeySet {
  readonly stored: StoredKeySet
  readonly keys: SignerKeys
}

/** A key set has up to 262 KB. */
const MAX_ENDPOINTS = 100

/**
 * The newest key set that this process fetched from each endpoint, whichever signer it was for. An endpoint has one budget for unknown kids, so
 * the signer that spent it must not keep new keys from the others. Stored sets do not count: they do not say with which CA they were fetched.
 */
export class NewestKeySets {
  readonly #sets = createLruCache<string, NewestKeySet>(MAX_ENDPOINTS)

  note(endpoint: Endpoint, keySet: NewestKeySet): void {
    const known = this.find(endpoint)
    if (!known || keySet.stored.fetchedAt > known.stored.fetchedAt) this.#sets.set(nameOf(endpoint), keySet)
  }

  find(endpoint: Endpoint): NewestKeySet | undefined {
    return this.#sets.get(nameOf(endpoint))
  }
}

function nameOf({ url, caPem }: Endpoint): string {
  return `${url} ${caPem ?? ''}`
}
