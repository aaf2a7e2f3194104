import { lookup as dnsLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { createLruCache } from '@countersign/core'
import { createLookupQueue } from './lookup-queue.ts'
import { OutboundError } from './outbound-error.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Returns all addresses of a host name. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>

/** The resolver of the operating system, including its hosts file. */
export const systemLookup: Lookup = (host) => dnsLookup(host, { all: true, order: 'verbatim' })

const MAX_ADDRESSES = 16
/** Names being looked up or queued. */
const MAX_PENDING = 1_000
const MAX_FAILURES = 1_000
/** Shorter than the pause before a failed key fetch is retried. */
const FAILURE_CACHED_MS = 4_000

interface SharedLookup {
  readonly addresses: Promise<readonly ResolvedAddress[]>
  readonly callers: AbortSignal[]
}

interface Failure {
  readonly error: OutboundError
  readonly atMs: number
}

/**
 * Resolves a host to its addresses. Concurrent requests for a name share one lookup, and a recent failure is returned at once. A queued lookup
 * is skipped when all its callers have aborted (`signal`); a running lookup is not interrupted.
 */
export function createHostResolver(lookup: Lookup = systemLookup, elapsedMs = () => performance.now()) {
  const queue = createLookupQueue()
  const pending = new Map<string, SharedLookup>()
  /** Kept until the name resolves. Until then its lookups have low priority. */
  const failures = createLruCache<string, Failure>(MAX_FAILURES)

  const resolve = async (host: string): Promise<readonly ResolvedAddress[]> => {
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
    if (pending.size >= MAX_PENDING) throw unresolved('too many names are being looked up')
    const callers = [firstCaller]
    const resolveIfWanted = async (): Promise<readonly ResolvedAddress[]> => {
      try {
        if (callers.every(({ aborted }) => aborted)) throw unresolved(`the lookup of ${host} was aborted`)
        return await resolve(host)
      } finally {
        pending.delete(host)
      }
    }
    const shared = { addresses: queue(failures.peek(host) ? 'low' : 'normal', resolveIfWanted), callers }
    pending.set(host, shared)
    return shared
  }

  return async (host: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> => {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    signal.throwIfAborted()
    const failure = failures.peek(host)
    if (failure && elapsedMs() - failure.atMs < FAILURE_CACHED_MS) throw failure.error
    const shared = pending.get(host)
    if (!shared) return start(host, signal).addresses
    shared.callers.push(signal)
    return shared.addresses
  }
}

function unresolved(message: string, cause?: unknown): OutboundError {
  return new OutboundError('name-not-resolved', message, { cause })
}
