import type { FetchDocument, FetchedDocument } from '../outbound/fetch-document.ts'
import { createFetchJwks, type FetchJwks, type FetchReason } from '../outbound/jwks-fetch.ts'
import type { Settings } from '../platform/settings/index.ts'
import { MIN_RETRY_MS, refreshTiming } from './refresh-timing.ts'

/** A request for keys, sent from a worker to the process that fetches for all workers. */
export interface SharedJwksRequest {
  readonly url: string
  readonly caPem: string | undefined
  readonly owner: string | undefined
  readonly authorization: string | undefined
  readonly accept: string
  readonly mediaTypes: readonly string[]
  readonly why: FetchReason
}

export interface SharedJwksResponse extends FetchedDocument {
  readonly ageMs: number
}

export type SharedJwksFetch = (request: SharedJwksRequest) => Promise<SharedJwksResponse>

/** Shorter than the pause before a worker retries. */
const FAILURE_CACHED_MS = 0.8 * MIN_RETRY_MS

/** A worker may not have received yet what was fetched this recently: fetching again would return the same keys. */
const JUST_FETCHED_MS = 1_000

interface Fetch {
  readonly startedMs: number
  readonly why: FetchReason
  readonly response: Promise<FetchedDocument>
  isRunning: boolean
}

/**
 * Fetches keys once for all processes of a node: running fetches are shared, and a refresh uses what another process has just fetched. Unknown
 * kids fetch again, within their own budget. A refresh by an administrator always fetches.
 */
export function createSharedJwksFetch(fetchDocument: FetchDocument, jwks: Settings['jwks']): SharedJwksFetch {
  const { minRefreshMs } = refreshTiming(jwks)
  const usableForMs: Readonly<Record<FetchReason, number>> = {
    'unknown-kid': 0,
    refresh: minRefreshMs / 2,
    administrator: 0,
  }
  const cachedMs = Math.max(...Object.values(usableForMs))
  const latest = new Map<string, Partial<Record<FetchReason, Fetch>>>()

  const start = (name: string, { url, why, ...options }: SharedJwksRequest): Fetch => {
    const response = fetchDocument(url, options)
    const fetch: Fetch = { startedMs: performance.now(), why, response, isRunning: true }
    const known = latest.get(name) ?? {}
    latest.set(name, known)
    known[why] = fetch
    const forget = (): void => {
      if (known[why] === fetch) delete known[why]
      if (Object.keys(known).length === 0) latest.delete(name)
    }
    const onEnd = (ms: number) => (): void => {
      fetch.isRunning = false
      setTimeout(forget, ms).unref()
    }
    response.then(onEnd(cachedMs), onEnd(FAILURE_CACHED_MS))
    return fetch
  }

  const find = (name: string, why: FetchReason): Fetch | undefined => {
    if (why === 'administrator') return undefined
    const known = latest.get(name) ?? {}
    // What began before an administrator's refresh may have a key that was withdrawn since.
    const earliestMs = known.administrator?.startedMs ?? 0
    const fetches = Object.values(known)
      .filter(({ startedMs }) => startedMs >= earliestMs)
      .toSorted((a, b) => b.startedMs - a.startedMs)
    const running = fetches.find(({ isRunning }) => isRunning)
    if (running) return running
    const now = performance.now()
    const isUsable = (fetch: Fetch): boolean => {
      const ageMs = now - fetch.startedMs
      return ageMs < JUST_FETCHED_MS || (ageMs < usableForMs[why] && (why === 'refresh' || fetch.why === why))
    }
    return fetches.find(isUsable)
  }

  return async (request) => {
    // The fetches of one owner may be slow, so that those of others must not share them.
    const name = [request.url, request.caPem, request.owner, request.authorization].map((part) => part ?? '').join('\n')
    const fetch = find(name, request.why) ?? start(name, request)
    const { body, headers } = await fetch.response
    return { body, headers, ageMs: Math.round(performance.now() - fetch.startedMs) }
  }
}

/** Fetches keys through the process that fetches for all workers. */
export function createRemoteFetchJwks(fetch: SharedJwksFetch): FetchJwks {
  return async ({ url, caPem, owner, authorization, why = 'refresh' }) => {
    let ageMs = 0
    const fetchDocument: FetchDocument = async (_url, { accept, mediaTypes }) => {
      const requested = performance.now()
      const response = await fetch({ url, caPem, owner, authorization, accept, mediaTypes, why })
      // Its age at the time of the request, without the duration of the fetch.
      ageMs = Math.max(0, response.ageMs - Math.round(performance.now() - requested))
      return { body: Buffer.from(response.body), headers: response.headers }
    }
    return { ...(await createFetchJwks(fetchDocument)({ url, caPem })), ageMs }
  }
}
