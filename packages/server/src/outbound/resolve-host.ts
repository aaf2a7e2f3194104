import { lookup as dnsLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { OutboundError } from './outbound-error.ts'

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Every address of a host name. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>

/** The name service of this machine, its hosts file included. */
export const systemLookup: Lookup = (host) => dnsLookup(host, { all: true, order: 'verbatim' })

/** The thread pool that asks the name service also verifies signatures, and a dead name service holds a thread for long. */
const MAX_LOOKUPS = 2
const MAX_ADDRESSES = 16

/**
 * Turns a host into its addresses, few lookups at a time over all callers. A caller that has given up (`signal`) asks nothing any more,
 * but a lookup that has begun keeps its place until it ends.
 */
export function createHostResolver(lookup: Lookup = systemLookup) {
  const waiting: (() => void)[] = []
  let running = 0

  const enter = async (): Promise<void> => {
    if (running >= MAX_LOOKUPS) await new Promise<void>((resolve) => waiting.push(resolve))
    running++
  }
  const leave = (): void => {
    running--
    waiting.shift()?.()
  }

  return async (host: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> => {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    await enter()
    try {
      signal.throwIfAborted()
      const addresses = await lookup(host)
      if (addresses.length === 0) throw new Error('no address')
      return addresses.slice(0, MAX_ADDRESSES)
    } catch (error) {
      signal.throwIfAborted()
      throw new OutboundError('name-not-resolved', `the name ${host} could not be resolved`, { cause: error })
    } finally {
      leave()
    }
  }
}
