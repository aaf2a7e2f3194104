import { type KeySet, KeySetError, readKeySet } from '@countersign/core'
import type { FetchDocument } from './fetch-document.ts'
import { freshForMs } from './freshness.ts'
import { OutboundError } from './outbound-error.ts'

export interface JwksRequest {
  readonly url: string
  readonly caPem?: string | undefined
  /** In whose name the keys are fetched. */
  readonly owner?: string | undefined
  /** The header `Authorization`. */
  readonly authorization?: string | undefined
  readonly signal?: AbortSignal
  /** By default `refresh`. */
  readonly why?: FetchReason
}

export type FetchReason = 'refresh' | 'unknown-kid' | 'administrator'

export interface FetchedKeySet {
  readonly keySet: KeySet
  /** How long the provider declares the keys fresh. */
  readonly freshForMs: number | undefined
  /** Time since the fetch, when another process of this node fetched. */
  readonly ageMs?: number
}

/** Fetches and reads the keys of a provider. Rejects with `OutboundError`. */
export type FetchJwks = (request: JwksRequest) => Promise<FetchedKeySet>

const MEDIA_TYPES = ['application/json', 'application/jwk-set+json', 'application/jwk+json']

export function createFetchJwks(fetchDocument: FetchDocument, now: () => number = Date.now): FetchJwks {
  return async ({ url, caPem, owner, authorization, signal }) => {
    const { body, headers } = await fetchDocument(url, {
      accept: MEDIA_TYPES.join(', '),
      mediaTypes: MEDIA_TYPES,
      caPem,
      owner,
      ...(authorization !== undefined && { authorization }),
      ...(signal && { signal }),
    })
    try {
      return { keySet: readKeySet(body), freshForMs: freshForMs(headers, now()) }
    } catch (error) {
      if (error instanceof KeySetError) throw new OutboundError('content', error.message, { status: 200, cause: error })
      throw error
    }
  }
}
