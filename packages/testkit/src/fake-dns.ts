import { isIP } from 'node:net'

export interface FakeDns {
  /** Returns the scripted addresses of a host name. */
  lookup(host: string): Promise<{ address: string; family: number }[]>
  /** The names looked up, in order. */
  readonly queries: readonly string[]
}

/** The addresses of one lookup, an error, or a promise of the addresses. */
export type FakeDnsResult = readonly string[] | Error | Promise<readonly string[]>

/**
 * A scripted resolver: each name has a list of results, used in order; the last one repeats. A name without a script does
 * not exist.
 */
export function createFakeDns(script: Readonly<Record<string, readonly FakeDnsResult[]>>): FakeDns {
  const queries: string[] = []
  return {
    queries,
    lookup: async (host) => {
      const results = Object.hasOwn(script, host) ? (script[host] ?? []) : []
      const count = queries.filter((earlier) => earlier === host).length
      queries.push(host)
      const result = await (results[count] ?? results.at(-1))
      if (result instanceof Error) throw result
      if (!result) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
      return result.map((address) => ({ address, family: isIP(address) }))
    },
  }
}
