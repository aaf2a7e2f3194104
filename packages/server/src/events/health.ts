import type { Clock } from '../platform/clock.ts'
import { checkRead } from '../store/reads/summary-reads.ts'
import type { Store } from '../store/store.ts'

export interface HealthCheck {
  readonly id: string
  readonly healthy: boolean
  readonly lastCheckTime: number
  readonly lastCheckMs: number
}

export interface Health {
  /** The checks that decide whether the node can serve requests. */
  readiness(): Promise<readonly HealthCheck[]>
  /** Makes the node not ready from now on. */
  stop(): void
}

/** The call is anonymous, so a result is reused for this time. */
const REUSE_MS = 1_000
const READ_TIMEOUT_MS = 2_000

/** Checks that the store can be read. */
export function createHealth({ store, clock }: { store: Pick<Store, 'db'>; clock: Clock }): Health {
  let isStopping = false
  let latest: Promise<HealthCheck> | undefined
  let checkedAt = Number.NEGATIVE_INFINITY

  const readStore = async (): Promise<boolean> => {
    const { promise: timeout, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), READ_TIMEOUT_MS)
    try {
      const reading = checkRead(store.db).then(() => true)
      return await Promise.race([reading, timeout])
    } catch {
      return false
    } finally {
      clearTimeout(timer)
    }
  }

  const check = async (): Promise<HealthCheck> => {
    const started = performance.now()
    const lastCheckTime = clock.now()
    const healthy = await readStore()
    return { id: 'store.read', healthy, lastCheckTime, lastCheckMs: performance.now() - started }
  }

  return {
    readiness: async () => {
      const now = performance.now()
      if (!latest || now - checkedAt >= REUSE_MS) {
        checkedAt = now
        latest = check()
      }
      const checks = [await latest]
      if (!isStopping) return checks
      return [...checks, { id: 'running', healthy: false, lastCheckTime: clock.now(), lastCheckMs: 0 }]
    },
    stop: () => {
      isStopping = true
    },
  }
}
