import { type JsonValue, readKeySet } from '@countersign/core'
import { type MintKey, mintKeySet } from '@countersign/testkit'
import type { FetchedKeySet, FetchJwks, JwksRequest } from '../../src/outbound/jwks-fetch.ts'
import { OutboundError } from '../../src/outbound/outbound-error.ts'

type Entries = readonly (MintKey | Record<string, unknown>)[]

export interface FakeProvider {
  /** How many fetches have begun. */
  readonly hits: number
  /** From now on it answers these keys, with what it says about how long they are good. */
  publish(entries: Entries, freshForMs?: number): void
  /** From now on it is down. */
  fail(): void
  /** From now on it answers nothing until what is answered is called; then it goes on as before. */
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
  answer: () => FetchedKeySet
  held: Promise<void> | undefined
}

/** Providers without a network: what they publish is read as a fetched set would be. One that was told nothing is down. */
export function createFakeProviders(): FakeProviders {
  const states = new Map<string, State>()
  const requests: JwksRequest[] = []
  let running = 0
  let mostRunning = 0

  const down = (): never => {
    throw new OutboundError('status', 'the answer was HTTP 503, not 200', { status: 503 })
  }
  const stateOf = (url: string): State => {
    const state = states.get(url) ?? { hits: 0, answer: down, held: undefined }
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
        return state.answer()
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
          state.answer = () => ({ keySet: readKeySet(body), freshForMs })
        },
        fail: () => {
          state.answer = down
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
