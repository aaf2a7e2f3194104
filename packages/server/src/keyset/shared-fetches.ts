import type { FetchDocument, FetchedDocument } from '../outbound/fetch-document.ts'
import { createFetchJwks, type FetchJwks, type FetchReason } from '../outbound/jwks-fetch.ts'
import type { Settings } from '../platform/settings/index.ts'
import { MIN_RETRY_MS, refreshTiming } from './refresh-timing.ts'

/** A request for keys as one process asks another for it. */
export interface SharedFetchRequest {
  readonly url: string
  readonly caPem: string | undefined
  readonly accept: string
  readonly mediaTypes: readonly string[]
  readonly why: FetchReason
}

export interface SharedFetchAnswer extends FetchedDocument {
  readonly ageMs: number
}

export type SharedFetch = (request: SharedFetchRequest) => Promise<SharedFetchAnswer>

/** Shorter than the pause before a process tries again. */
const FAILURE_KEPT_MS = 0.8 * MIN_RETRY_MS

/** A process that has not heard yet of what another one fetched so recently asks in vain for more. */
const JUST_FETCHED_MS = 1_000

interface Fetch {
  readonly startedMs: number
  readonly why: FetchReason
  readonly answer: Promise<FetchedDocument>
  isRunning: boolean
}

/**
 * Fetches keys once for all processes of a node: what is under way is shared, an unknown kid makes a provider be asked no more often
 * than the settings say, and a refresh takes what another process has just fetched. An administrator gets what is there now.
 */
export function createSharedFetches(fetchDocument: FetchDocument, jwks: Settings['jwks']): SharedFetch {
  const { unknownKidMs, minRefreshMs } = refreshTiming(jwks)
  const goodForMs: Readonly<Record<FetchReason, number>> = {
    'unknown-kid': unknownKidMs,
    refresh: minRefreshMs / 2,
    administrator: 0,
  }
  const keptMs = Math.max(...Object.values(goodForMs))
  const latest = new Map<string, Partial<Record<FetchReason, Fetch>>>()

  const start = (name: string, { url, why, ...options }: SharedFetchRequest): Fetch => {
    const answer = fetchDocument(url, options)
    const fetch: Fetch = { startedMs: performance.now(), why, answer, isRunning: true }
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
    answer.then(onEnd(keptMs), onEnd(FAILURE_KEPT_MS))
    return fetch
  }

  const find = (name: string, why: FetchReason): Fetch | undefined => {
    if (why === 'administrator') return undefined
    const fetches = Object.values(latest.get(name) ?? {})
    const running = fetches.find(({ isRunning }) => isRunning)
    if (running) return running
    const now = performance.now()
    const isGood = (fetch: Fetch): boolean => {
      const ageMs = now - fetch.startedMs
      return ageMs < JUST_FETCHED_MS || (ageMs < goodForMs[why] && (why === 'refresh' || fetch.why === why))
    }
    return fetches.find(isGood)
  }

  return async (request) => {
    const name = `${request.url}\n${request.caPem ?? ''}`
    const fetch = find(name, request.why) ?? start(name, request)
    const { body, headers } = await fetch.answer
    return { body, headers, ageMs: Math.round(performance.now() - fetch.startedMs) }
  }
}

/** Fetches keys through the process that fetches for all. */
export function createRemoteFetchJwks(fetch: SharedFetch): FetchJwks {
  return async ({ url, caPem, why = 'refresh' }) => {
    let ageMs = 0
    const fetchDocument: FetchDocument = async (_url, { accept, mediaTypes }) => {
      const asked = performance.now()
      const answer = await fetch({ url, caPem, accept, mediaTypes, why })
      // Its age when it was asked for; what came afterwards is the time of the fetch.
      ageMs = Math.max(0, answer.ageMs - Math.round(performance.now() - asked))
      return { body: Buffer.from(answer.body), headers: answer.headers }
    }
    return { ...(await createFetchJwks(fetchDocument)({ url, caPem })), ageMs }
  }
}
