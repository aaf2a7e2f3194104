import { isIP } from 'node:net'

export interface FakeDns {
  /** Answers for a host name what the script says. */
  lookup(host: string): Promise<{ address: string; family: number }[]>
  /** The names that were asked for, in order. */
  readonly queries: readonly string[]
}

/** The addresses of one answer, an error, or a promise that the answer waits for. */
export type FakeDnsAnswer = readonly string[] | Error | Promise<readonly string[]>

/**
 * A name service that answers by a script: for each name its answers in order, the last one again and again. A name without a script does
 * not exist.
 */
export function createFakeDns(script: Readonly<Record<string, readonly FakeDnsAnswer[]>>): FakeDns {
  const queries: string[] = []
  return {
    queries,
    lookup: async (host) => {
      const answers = Object.hasOwn(script, host) ? (script[host] ?? []) : []
      const asked = queries.filter((earlier) => earlier === host).length
      queries.push(host)
      const answer = await (answers[asked] ?? answers.at(-1))
      if (answer instanceof Error) throw answer
      if (!answer) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
      return answer.map((address) => ({ address, family: isIP(address) }))
    },
  }
}
