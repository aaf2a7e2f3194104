import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, type LoadConnection, openConnection } from './connection.ts'
import { percentile } from './percentile.ts'

export interface SteadyLoad {
  /** One connection for each, kept open. */
  readonly from: readonly Address[]
  readonly perSecond: number
  request(): string
  /** Every answer, and how long after its moment it came; status 0 where none came. */
  onAnswer(status: number, milliseconds: number): void
  /** What is not sent at its moment, since no connection is free, is left out instead of waiting. */
  readonly isLossy?: boolean
}

export interface RunningLoad {
  /** Stops sending and waits for the answers that are under way; what still waits to be sent has failed. */
  stop(): Promise<void>
}

const TICK_MS = 1

/**
 * Sends requests at a steady rate whatever comes back. Each has its moment, and its time counts from there: a server that
 * makes requests wait in line does not look faster than it is.
 */
export async function startSteadyLoad(load: SteadyLoad): Promise<RunningLoad> {
  const idle: LoadConnection[] = await Promise.all(load.from.map(openConnection))
  const addresses = new Map(idle.map((connection, at) => [connection, load.from[at] as Address]))
  const waiting: number[] = []
  const underWay = new Set<Promise<void>>()
  let isRunning = true

  const send = async (connection: LoadConnection, moment: number): Promise<void> => {
    let free = connection
    try {
      const { status } = await connection.ask(load.request())
      load.onAnswer(status, performance.now() - moment)
    } catch {
      load.onAnswer(0, performance.now() - moment)
      free = await reopen(connection)
    }
    const next = waiting.shift()
    if (next === undefined) idle.push(free)
    else begin(free, next)
  }

  const begin = (connection: LoadConnection, moment: number): void => {
    // Only what cannot be reached any more after the end is left without a connection, and nobody waits for that.
    const sent = send(connection, moment)
      .catch(() => {})
      .finally(() => underWay.delete(sent))
    underWay.add(sent)
  }

  const reopen = async (gone: LoadConnection): Promise<LoadConnection> => {
    const address = addresses.get(gone) as Address
    addresses.delete(gone)
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
        // In turn: one that is left idle for long is closed by the server, which is no failure of it.
        const connection = idle.shift()
        if (connection) begin(connection, moment)
        else if (!load.isLossy) waiting.push(moment)
      }
    }
  }
  const pacing = pace()
  return {
    stop: async () => {
      isRunning = false
      await pacing
      for (const moment of waiting.splice(0)) load.onAnswer(0, performance.now() - moment)
      while (underWay.size > 0) await Promise.allSettled(underWay)
      for (const connection of addresses.keys()) connection.close()
    },
  }
}

export interface SteadyFigures {
  readonly answers: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Share of the requests that were not answered as they should, in per cent. */
  readonly failedPercent: number
}

/** What a list of answers says; `expectStatus` is the good one. */
export function readAnswers(answers: readonly (readonly [number, number])[], expectStatus: number): SteadyFigures {
  const times = answers.map(([, milliseconds]) => milliseconds).sort((a, b) => a - b)
  const failed = answers.filter(([status]) => status !== expectStatus).length
  return {
    answers: answers.length,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    failedPercent: (100 * failed) / Math.max(1, answers.length),
  }
}
