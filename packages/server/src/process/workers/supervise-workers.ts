import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { MetricsSnapshot } from '../../events/metrics/metrics-aggregator.ts'
import type { WorkerStart } from './protocol.ts'
import type { WorkerHandle } from './worker-handle.ts'

interface SuperviseOptions {
  readonly workers: number
  readonly start: Omit<WorkerStart, 'isLead' | 'port'>
  /** 0 for any free port, which all workers then share. */
  readonly port: number
  readonly log: Logger
  fork(): WorkerHandle
  /** Called with the last metrics of a worker that stops normally. */
  noteMetrics(worker: WorkerHandle, last: MetricsSnapshot): void
  onFatal(): void
}

export interface Supervisor {
  /** Starts all workers and returns the port. Throws the error of the first worker that fails. */
  startAll(): Promise<number>
  /** The running workers, the lead first. */
  running(): readonly WorkerHandle[]
  /** Replaces one worker after another. The new worker serves before the old one closes its connections. */
  restartAll(): Promise<void>
  stop(): Promise<void>
}

const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 10_000
/** A worker that ran this long is replaced without a pause: it did not fail at the start. */
const HEALTHY_AFTER_MS = 60_000
/** How long a replaced worker keeps idle connections open for one more request. */
const LINGER_MS = 3_000
/** Longer than a worker takes to finish its requests. */
const STOP_TIMEOUT_MS = 9_500

/** Keeps `workers` worker processes running. */
export function superviseWorkers(options: SuperviseOptions): Supervisor {
  const { workers, log } = options
  const slots: (WorkerHandle | undefined)[] = new Array(workers).fill(undefined)
  const ending = new Set<WorkerHandle>()
  const all = new Set<WorkerHandle>()
  const stopping = new AbortController()
  let port = 0
  let restarting: Promise<void> | undefined

  const startOne = async (slot: number): Promise<WorkerHandle> => {
    const handle = options.fork()
    all.add(handle)
    void handle.exited.then(() => all.delete(handle))
    try {
      port = await handle.channel.call('start', { ...options.start, isLead: slot === 0, port: options.port })
      return handle
    } catch (error) {
      ending.add(handle)
      handle.kill()
      throw error
    }
  }

  const assign = (slot: number, handle: WorkerHandle): void => {
    const since = performance.now()
    slots[slot] = handle
    void handle.exited.then((how) => {
      if (slots[slot] === handle) slots[slot] = undefined
      if (ending.delete(handle) || stopping.signal.aborted) return
      log.error({ worker: slot, pid: handle.pid, how }, 'a worker has ended and is being replaced')
      void replace(slot, performance.now() - since > HEALTHY_AFTER_MS ? 0 : 1)
    })
  }

  const replace = async (slot: number, failedBefore: number): Promise<void> => {
    for (let failures = failedBefore; slots[slot] === undefined; failures++) {
      const pause = failures === 0 ? 0 : Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (failures - 1))
      try {
        await sleep(pause, undefined, { signal: stopping.signal })
        const handle = await startOne(slot)
        if (stopping.signal.aborted) return void endNow(handle)
        assign(slot, handle)
        log.info({ worker: slot, pid: handle.pid }, 'a worker has started')
      } catch (error) {
        if (stopping.signal.aborted) return
        log.error({ worker: slot, err: error }, 'a worker could not start, retrying')
      }
    }
  }

  const endNow = (handle: WorkerHandle): void => {
    ending.add(handle)
    handle.kill()
  }

  const end = async (handle: WorkerHandle, lingerMs: number): Promise<void> => {
    ending.add(handle)
    const timer = setTimeout(handle.kill, STOP_TIMEOUT_MS + lingerMs)
    try {
      options.noteMetrics(handle, await handle.channel.call('stop', { lingerMs }))
      handle.disconnect()
    } catch {
      // The worker has already ended.
    }
    await handle.exited
    clearTimeout(timer)
  }

  const restartEach = async (): Promise<void> => {
    for (let slot = 0; slot < workers && !stopping.signal.aborted; slot++) {
      const old = slots[slot]
      // A worker that has ended is already being replaced.
      if (!old) continue
      const next = await startOne(slot)
      if (stopping.signal.aborted) return endNow(next)
      if (slots[slot] !== old) endNow(next)
      else {
        assign(slot, next)
        await end(old, LINGER_MS)
      }
    }
  }

  return {
    startAll: async () => {
      // The first worker starts alone: it migrates the database and finds the port.
      assign(0, await startOne(0))
      const others = Array.from({ length: workers - 1 }, (_, index) => startOne(index + 1))
      for (const [index, handle] of (await Promise.all(others)).entries()) assign(index + 1, handle)
      return port
    },
    running: () => slots.filter((handle) => handle !== undefined),
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
