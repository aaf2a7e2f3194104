import { type Address, openConnection } from './connection.ts'
import { percentile } from './percentile.ts'

export interface Load extends Address {
  readonly connections: number
  readonly seconds: number
  /** Returns the text of the next request. */
  request(): string
  readonly expectStatus: number
  /** Stops after this number of requests, even before `seconds` have passed. */
  readonly maxRequests: number
  /** Opens a new connection for each request. */
  readonly reconnects?: boolean
  /** Called when the kept connections are open, before the first request. */
  onOpen?(): void
}

export interface LoadResult {
  readonly requests: number
  readonly perSecond: number
  readonly p99Ms: number
  readonly bytesPerResponse: number
}

/** Sends requests over TLS, one at a time per connection, and measures the responses. Throws on an unexpected status. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { connections, seconds, expectStatus, maxRequests, reconnects = false } = load
  const opened = await Promise.all(Array.from({ length: reconnects ? 0 : connections }, () => openConnection(load)))
  const latencies: number[] = []
  let bytes = 0
  let begun = 0
  load.onOpen?.()
  const started = performance.now()
  const end = started + seconds * 1000
  const runWorker = async (_: unknown, at: number): Promise<void> => {
    while (performance.now() < end && begun < maxRequests) {
      begun++
      const sent = performance.now()
      const connection = opened[at] ?? (await openConnection(load))
      const { status, length, body } = await connection.send(load.request())
      if (status !== expectStatus) throw new Error(`expected ${expectStatus}, got ${status}: ${body()}`)
      latencies.push(performance.now() - sent)
      bytes += length
      if (reconnects) connection.close()
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, runWorker))
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
    bytesPerResponse: Math.round(bytes / Math.max(1, latencies.length)),
  }
}
