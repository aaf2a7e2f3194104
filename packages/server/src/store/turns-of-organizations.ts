import type { Clock } from '../platform/clock.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import type { Store } from './store.ts'

/** Few, because logins wait behind the writes that the store has begun, and each of these is short. */
const WRITES_AT_ONCE = 4
const WRITES_OF_ONE_ORGANIZATION = 2
const MAX_WAITING_WRITES = 1_000

/**
 * Wraps a store so that the writes of callers of the hosted API take turns by organization. Other writes, such as those of logins, never wait
 * for a turn. With too many waiting, further ones of that organization fail with SERVER_TOO_MANY_REQUESTS. A write has the time of its turn: its
 * caller may have waited long for that, or for a provider before it, and have lost the right meanwhile.
 */
export function withTurnsOfOrganizations(store: Store, clock: Clock): Store {
  const turns = new FairQueue({
    atOnce: WRITES_AT_ONCE,
    perKey: WRITES_OF_ONE_ORGANIZATION,
    maxWaiting: MAX_WAITING_WRITES,
  })
  return {
    ...store,
    run: (operation, args, meta) => {
      const { organizationId } = meta
      if (organizationId === undefined) return store.run(operation, args, meta)
      return turns.run(organizationId, () => store.run(operation, args, { ...meta, now: clock.now() }))
    },
  }
}
