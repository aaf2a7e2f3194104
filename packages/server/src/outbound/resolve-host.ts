import { lookup as dnsLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { BoundedCache } from '@countersign/core'
import { createLookupTurns } from './lookup-turns.ts'
import { OutboundError } from './outbound-error.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Every address of a host name. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>

/** The name service of this machine, its hosts file included. */
export const systemLookup: Lookup = (host) => dnsLookup(host, { all: true, order: 'verbatim' })

const MAX_ADDRESSES = 16
/** Names that are looked up or wait for it. */
const MAX_UNDER_WAY = 1_000
const MAX_FAILURES = 1_000
/** Shorter than the pause before a failed fetch of keys is tried again. */
const FAILURE_KEPT_MS = 4_000

interface SharedLookup {
  readonly answer: Promise<readonly ResolvedAddress[]>
  readonly callers: AbortSignal[]
}

interface Failure {
  readonly error: OutboundError
  readonly atMs: number
}

/**
 * Turns a host into its addresses. Whoever asks for a name that is being looked up shares that lookup, and a name that failed just now is
 * answered at once. What only callers wait for that have given up (`signal`) is not asked any more, but a lookup that has begun keeps
 * its place until it ends.
 */
export function createHostResolver(lookup: Lookup = systemLookup, elapsedMs = () => performance.now()) {
  const inTurn = createLookupTurns()
  const underWay = new Map<string, SharedLookup>()
  /** Kept until the name resolves: it is doubtful for so long. */
  const failures = new BoundedCache<string, Failure>(MAX_FAILURES)

  const ask = async (host: string): Promise<readonly ResolvedAddress[]> => {
    try {
      const addresses = await lookup(host)
      if (addresses.length === 0) throw new Error('no address')
      failures.delete(host)
      return addresses.slice(0, MAX_ADDRESSES)
    } catch (cause) {
      const error = unresolved(`the name ${host} could not be resolved`, cause)
      failures.set(host, { error, atMs: elapsedMs() })
      throw error
    }
  }

  const start = (host: string, firstCaller: AbortSignal): SharedLookup => {
    if (underWay.size >= MAX_UNDER_WAY) throw unresolved('too many names are being looked up')
    const callers = [firstCaller]
    const askIfWanted = async (): Promise<readonly ResolvedAddress[]> => {
      try {
        if (callers.every(({ aborted }) => aborted)) throw unresolved(`nobody waits for the name ${host} any more`)
        return await ask(host)
      } finally {
        underWay.delete(host)
      }
    }
    const shared = { answer: inTurn(failures.peek(host) ? 'doubtful' : 'steady', askIfWanted), callers }
    underWay.set(host, shared)
    return shared
  }

  return async (host: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> => {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    signal.throwIfAborted()
    const failure = failures.peek(host)
    if (failure && elapsedMs() - failure.atMs < FAILURE_KEPT_MS) throw failure.error
    const shared = underWay.get(host)
    if (!shared) return start(host, signal).answer
    shared.callers.push(signal)
    return shared.answer
  }
}

function unresolved(message: string, cause?: unknown): OutboundError {
  return new OutboundError('name-not-resolved', message, { cause })
}
