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
const MAX_PENDING_OF_OWNER = 32
const MAX_FAILURES = 1_000
/** Shorter than the pause before a failed key fetch is retried. */
const FAILURE_CACHED_MS = 4_000

/** Who wants the addresses of a host. */
export interface LookupCaller {
  readonly signal: AbortSignal
  /** At most one lookup of an owner runs at a time. */
  readonly owner?: string | undefined
}

interface SharedLookup {
  readonly owner: string | undefined
  readonly addresses: Promise<readonly ResolvedAddress[]>
  /** Counts a caller, until it aborts. */
  join(signal: AbortSignal): void
}

interface Failure {
  readonly error: OutboundError
  readonly atMs: number
}

/**
 * Resolves a host to its addresses. Concurrent requests of an owner for a name share one lookup, and a recent failure is returned at once. A
 * queued lookup is dropped when all its callers have aborted (`signal`); a running lookup is not interrupted.
 */
export function createHostResolver(lookup: Lookup = systemLookup, elapsedMs = () => performance.now()) {
  const queue = createLookupQueue()
  /** By owner and name: a name that waits for other lookups of one owner must not wait for another. */
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

  const checkRoom = (owner: string | undefined): void => {
    const own = owner === undefined ? [] : [...pending.values()].filter((lookup) => lookup.owner === owner)
    if (pending.size < MAX_PENDING && own.length < MAX_PENDING_OF_OWNER) return
    throw unresolved('too many names are being looked up')
  }

  const start = (key: string, host: string, owner: string | undefined): SharedLookup => {
    checkRoom(owner)
    const unwanted = new AbortController()
    let hasStarted = false
    let callers = 0
    const run = async (): Promise<readonly ResolvedAddress[]> => {
      unwanted.signal.throwIfAborted()
      hasStarted = true
      try {
        return await resolve(host)
      } finally {
        pending.delete(key)
      }
    }
    const leave = (): void => {
      callers--
      if (callers > 0 || hasStarted) return
      pending.delete(key)
      unwanted.abort(unresolved(`the lookup of ${host} was aborted`))
    }
    const join = (signal: AbortSignal): void => {
      callers++
      // A function of its own for each caller: a signal calls the same one only once.
      signal.addEventListener('abort', () => leave(), { once: true })
    }
    const priority = failures.peek(host) ? 'low' : 'normal'
    const addresses = queue({ priority, owner: owner ?? host, signal: unwanted.signal }, run)
    const shared = { owner, addresses, join }
    pending.set(key, shared)
    return shared
  }

  return async (host: string, caller: LookupCaller): Promise<readonly ResolvedAddress[]> => {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    caller.signal.throwIfAborted()
    const failure = failures.peek(host)
    if (failure && elapsedMs() - failure.atMs < FAILURE_CACHED_MS) throw failure.error
    const key = `${caller.owner ?? ''} ${host}`
    const shared = pending.get(key) ?? start(key, host, caller.owner)
    shared.join(caller.signal)
    return shared.addresses
  }
}

function unresolved(message: string, cause?: unknown): OutboundError {
  return new OutboundError('name-not-resolved', message, { cause })
}
