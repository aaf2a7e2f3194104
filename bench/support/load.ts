import { type Address, openConnection } from './connection.ts'
import { percentile } from './percentile.ts'

export interface Load extends Address {
  readonly connections: number
  readonly seconds: number
  /** The next request, whole. */
  request(): string
  readonly expectStatus: number
  /** Ends after so many requests even if there is time left. */
  readonly maxRequests: number
  /** A new connection for each request instead of keeping them. */
  readonly isFresh?: boolean
  /** Called when the connections that are kept are open and nothing is sent yet. */
  onOpen?(): void
}

export interface LoadResult {
  readonly requests: number
  readonly perSecond: number
  readonly p99Ms: number
  readonly bytesPerAnswer: number
}

/**
 * Sends requests over TLS connections, each connection one after the other, and measures what comes back. Throws when an
 * answer is not the expected one.
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { connections, seconds, expectStatus, maxRequests, isFresh = false } = load
  const opened = await Promise.all(Array.from({ length: isFresh ? 0 : connections }, () => openConnection(load)))
  const latencies: number[] = []
  let bytes = 0
  let begun = 0
  load.onOpen?.()
  const started = performance.now()
  const end = started + seconds * 1000
  const lane = async (_: unknown, at: number): Promise<void> => {
    while (performance.now() < end && begun < maxRequests) {
      begun++
      const sent = performance.now()
      const connection = opened[at] ?? (await openConnection(load))
      const { status, length, body } = await connection.ask(load.request())
      if (status !== expectStatus) throw new Error(`expected ${expectStatus}, got ${status}: ${body()}`)
      latencies.push(performance.now() - sent)
      bytes += length
      if (isFresh) connection.close()
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, lane))
  } finally {
    begun = maxRequests
    for (const connection of opened) connection.close()
  }
  const took = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  return {
    requests: latencies.length,
    perSecond: latencies.length / took,
    p99Ms: percentile(latencies, 0.99),
    bytesPerAnswer: Math.round(bytes / Math.max(1, latencies.length)),
  }
}
