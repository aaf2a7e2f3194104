import { type JsonValue, readKeySet } from '@countersign/core'
import { type MintKey, mintKeySet } from '@countersign/testkit'
import type { FetchedKeySet, FetchJwks, JwksRequest } from '../../src/outbound/jwks-fetch.ts'
import { OutboundError } from '../../src/outbound/outbound-error.ts'

type Entries = readonly (MintKey | Record<string, unknown>)[]

export interface FakeProvider {
  /** The number of fetches that have begun. */
  readonly hits: number
  /** Publishes these keys from now on, with this freshness. */
  publish(entries: Entries, freshForMs?: number): void
  /** Fails every fetch from now on. */
  fail(): void
  /** Holds every fetch from now on. Returns a function that releases them. */
  hold(): () => void
}

export interface FakeProviders {
  readonly fetchJwks: FetchJwks
  /** Fetches under way, now and at most. */
  readonly running: number
  readonly mostRunning: number
  readonly requests: readonly JwksRequest[]
  at(url: string): FakeProvider
}

interface State {
  hits: number
  respond: () => FetchedKeySet
  held: Promise<void> | undefined
}

/** Providers without a network. Published keys are parsed like a fetched key set. A provider that published nothing is down. */
export function createFakeProviders(): FakeProviders {
  const states = new Map<string, State>()
  const requests: JwksRequest[] = []
  let running = 0
  let mostRunning = 0

  const down = (): never => {
    throw new OutboundError('status', 'the response was HTTP 503, not 200', { status: 503 })
  }
  const stateOf = (url: string): State => {
    const state = states.get(url) ?? { hits: 0, respond: down, held: undefined }
    states.set(url, state)
    return state
  }

  return {
    requests,
    get running() {
      return running
    },
    get mostRunning() {
      return mostRunning
    },
    fetchJwks: async (request) => {
      requests.push(request)
      const state = stateOf(request.url)
      state.hits++
      running++
      mostRunning = Math.max(mostRunning, running)
      try {
        await state.held
        return state.respond()
      } finally {
        running--
      }
    },
    at: (url) => {
      const state = stateOf(url)
      return {
        get hits() {
          return state.hits
        },
        publish: (entries, freshForMs) => {
          const body = mintKeySet(...entries) as JsonValue
          state.respond = () => ({ keySet: readKeySet(body), freshForMs })
        },
        fail: () => {
          state.respond = down
        },
        hold: () => {
          const { promise, resolve } = Promise.withResolvers<void>()
          state.held = promise
          return () => {
            state.held = undefined
            resolve()
          }
        },
      }
    },
  }
}
