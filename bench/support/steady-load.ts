import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, type LoadConnection, openConnection } from './connection.ts'
import { percentile } from './percentile.ts'

export interface SteadyLoad {
  /** One kept connection per entry. */
  readonly from: readonly Address[]
  readonly perSecond: number
  request(): string
  /** Called for every request with the time since its scheduled moment. Status 0 means that there was no response. */
  onResponse(status: number, milliseconds: number): void
  /** Drops a request when no connection is free at its moment, instead of queueing it. */
  readonly dropsWhenBusy?: boolean
}

export interface RunningLoad {
  /** Stops sending and waits for pending responses. Queued requests count as failed. */
  stop(): Promise<void>
}

const TICK_MS = 1

/**
 * Sends requests at a constant rate, regardless of responses. Latency counts from the scheduled moment of a request, so that
 * queueing is included (no coordinated omission).
 */
export async function startSteadyLoad(load: SteadyLoad): Promise<RunningLoad> {
  const idle: LoadConnection[] = await Promise.all(load.from.map(openConnection))
  const addresses = new Map(idle.map((connection, at) => [connection, load.from[at] as Address]))
  const queued: number[] = []
  const pending = new Set<Promise<void>>()
  let isRunning = true

  const send = async (connection: LoadConnection, moment: number): Promise<void> => {
    let reusable = connection
    try {
      const { status } = await connection.send(load.request())
      load.onResponse(status, performance.now() - moment)
    } catch {
      load.onResponse(0, performance.now() - moment)
      reusable = await reopen(connection)
    }
    const next = queued.shift()
    if (next === undefined) idle.push(reusable)
    else begin(reusable, next)
  }

  const begin = (connection: LoadConnection, moment: number): void => {
    // `send` rejects only when it cannot reconnect after `stop`; the connection is then not needed.
    const sent = send(connection, moment)
      .catch(() => {})
      .finally(() => pending.delete(sent))
    pending.add(sent)
  }

  const reopen = async (closed: LoadConnection): Promise<LoadConnection> => {
    const address = addresses.get(closed) as Address
    addresses.delete(closed)
    for (;;) {
      try {
        const connection = await openConnection(address)
        addresses.set(connection, address)
        return connection
      } catch (error) {
        if (!isRunning) throw error
        await sleep(100)
      }
    }
  }

  const started = performance.now()
  const pace = async (): Promise<void> => {
    for (let begun = 0; isRunning; await sleep(TICK_MS)) {
      const due = ((performance.now() - started) / 1000) * load.perSecond
      for (; begun < due; begun++) {
        const moment = started + (begun / load.perSecond) * 1000
        // Round-robin: the server closes connections that stay idle, which must not count as a failure.
        const connection = idle.shift()
        if (connection) begin(connection, moment)
        else if (!load.dropsWhenBusy) queued.push(moment)
      }
    }
  }
  const pacing = pace()
  return {
    stop: async () => {
      isRunning = false
      await pacing
      for (const moment of queued.splice(0)) load.onResponse(0, performance.now() - moment)
      while (pending.size > 0) await Promise.allSettled(pending)
      for (const connection of addresses.keys()) connection.close()
    },
  }
}

export interface SteadyFigures {
  readonly requests: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Percentage of requests without the expected status. */
  readonly failedPercent: number
}

/** Summarises pairs of status and milliseconds. */
export function summarizeResponses(
  responses: readonly (readonly [number, number])[],
  expectStatus: number,
): SteadyFigures {
  const times = responses.map(([, milliseconds]) => milliseconds).sort((a, b) => a - b)
  const failed = responses.filter(([status]) => status !== expectStatus).length
  return {
    requests: responses.length,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    failedPercent: (100 * failed) / Math.max(1, responses.length),
  }
}
