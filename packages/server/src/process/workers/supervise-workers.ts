import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { MetricsSnapshot } from '../../events/metrics/gathered-metrics.ts'
import type { WorkerStart } from './protocol.ts'
import type { WorkerHandle } from './worker-handle.ts'

interface SuperviseOptions {
  readonly workers: number
  readonly start: Omit<WorkerStart, 'isLead' | 'port'>
  /** 0 for a free one, which all of them then share. */
  readonly port: number
  readonly log: Logger
  fork(): WorkerHandle
  /** Told of a worker that ends as it should, with what it has measured until then. */
  noteMetrics(worker: WorkerHandle, last: MetricsSnapshot): void
  onFatal(): void
}

export interface Supervisor {
  /** Starts every worker; answers the port. Throws what the first one that fails says. */
  startAll(): Promise<number>
  /** The workers that serve, the one first that does what is to be done once. */
  running(): readonly WorkerHandle[]
  /** Replaces one after the other: the new one serves before the old one lets go of its clients. */
  restartAll(): Promise<void>
  stop(): Promise<void>
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 10_000
/** A worker that has lived so long ends for another reason than the one before it. */
const HEALTHY_AFTER_MS = 60_000
/** An old worker's clients get so long to come with another call before their idle connections are closed. */
const LINGER_MS = 3_000
/** Longer than a worker takes to finish what is under way. */
const STOP_WITHIN_MS = 9_500

/** Keeps so many workers running. */
export function superviseWorkers(options: SuperviseOptions): Supervisor {
  const { workers, log } = options
  const seats: (WorkerHandle | undefined)[] = new Array(workers).fill(undefined)
  const ending = new Set<WorkerHandle>()
  const all = new Set<WorkerHandle>()
  const stopping = new AbortController()
  let port = 0
  let restarting: Promise<void> | undefined

  /** A worker that serves. */
  const startOne = async (seat: number): Promise<WorkerHandle> => {
    const handle = options.fork()
    all.add(handle)
    void handle.exited.then(() => all.delete(handle))
    try {
      port = await handle.channel.call('start', { ...options.start, isLead: seat === 0, port: options.port })
      return handle
    } catch (error) {
      ending.add(handle)
      handle.kill()
      throw error
    }
  }

  const sit = (seat: number, handle: WorkerHandle): void => {
    const since = performance.now()
    seats[seat] = handle
    void handle.exited.then((how) => {
      if (seats[seat] === handle) seats[seat] = undefined
      if (ending.delete(handle) || stopping.signal.aborted) return
      log.error({ worker: seat, pid: handle.pid, how }, 'a worker has ended, another one takes its place')
      void replace(seat, performance.now() - since > HEALTHY_AFTER_MS ? 0 : 1)
    })
  }

  const replace = async (seat: number, failedBefore: number): Promise<void> => {
    for (let failures = failedBefore; seats[seat] === undefined; failures++) {
      const pause = failures === 0 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
      try {
        await sleep(pause, undefined, { signal: stopping.signal })
        const handle = await startOne(seat)
        if (stopping.signal.aborted) return void endNow(handle)
        sit(seat, handle)
        log.info({ worker: seat, pid: handle.pid }, 'a worker serves')
      } catch (error) {
        if (stopping.signal.aborted) return
        log.error({ worker: seat, err: error }, 'a worker does not start, trying again')
      }
    }
  }

  const endNow = (handle: WorkerHandle): void => {
    ending.add(handle)
    handle.kill()
  }

  const end = async (handle: WorkerHandle, lingerMs: number): Promise<void> => {
    ending.add(handle)
    const timer = setTimeout(handle.kill, STOP_WITHIN_MS + lingerMs)
    try {
      options.noteMetrics(handle, await handle.channel.call('stop', { lingerMs }))
      handle.disconnect()
    } catch {
      // It has ended meanwhile.
    }
    await handle.exited
    clearTimeout(timer)
  }

  const restartEach = async (): Promise<void> => {
    for (let seat = 0; seat < workers && !stopping.signal.aborted; seat++) {
      const old = seats[seat]
      // One that has ended is being replaced anyway.
      if (!old) continue
      const next = await startOne(seat)
      if (stopping.signal.aborted) return endNow(next)
      if (seats[seat] !== old) endNow(next)
      else {
        sit(seat, next)
        await end(old, LINGER_MS)
      }
    }
  }

  return {
    startAll: async () => {
      // The first one alone: it brings the database up to date and finds the port.
      sit(0, await startOne(0))
      const others = Array.from({ length: workers - 1 }, (_, index) => startOne(index + 1))
      for (const [index, handle] of (await Promise.all(others)).entries()) sit(index + 1, handle)
      return port
    },
    running: () => seats.filter((handle) => handle !== undefined),
    restartAll: () => {
      restarting ??= restartEach().finally(() => {
        restarting = undefined
      })
      return restarting
    },
    stop: async () => {
      stopping.abort()
      await Promise.all([...all].map((handle) => end(handle, 0)))
    },
  }
}
