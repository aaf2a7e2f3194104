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
  /** Whether calls can be served now, and what was looked at. */
  readiness(): Promise<readonly HealthCheck[]>
  /** From now on it is not ready. */
  stop(): void
}

/** Anybody may ask, so what was found is good for so long. */
const GOOD_FOR_MS = 1_000
const WITHIN_MS = 2_000

/** Looks whether the store answers. */
export function createHealth({ store, clock }: { store: Pick<Store, 'db'>; clock: Clock }): Health {
  let isStopping = false
  let latest: Promise<HealthCheck> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  const readStore = async (): Promise<boolean> => {
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), WITHIN_MS)
    try {
      const reading = checkRead(store.db).then(() => true)
      return await Promise.race([reading, late])
    } catch {
      return false
    } finally {
      clearTimeout(timer)
    }
  }

  const look = async (): Promise<HealthCheck> => {
    const started = performance.now()
    const lastCheckTime = clock.now()
    const healthy = await readStore()
    return { id: 'store.read', healthy, lastCheckTime, lastCheckMs: performance.now() - started }
  }

  return {
    readiness: async () => {
      const now = performance.now()
      if (!latest || now - lookedAt >= GOOD_FOR_MS) {
        lookedAt = now
        latest = look()
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
