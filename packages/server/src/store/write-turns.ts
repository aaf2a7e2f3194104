import type { Clock } from '../platform/clock.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import type { OperationMeta } from './operation-meta.ts'
import type { Store } from './store.ts'

/** Logins wait behind the writes that the store has begun, so organizations begin few, each of them short. */
const ORGANIZATION_TURNS = { atOnce: 4, perKey: 2, maxWaiting: 1_000 }
const SIGNER_TURNS = { atOnce: 16, perKey: 8, maxWaiting: 1_000 }
const LARGE_TURNS = { atOnce: 2, perKey: 1, maxWaiting: 100 }
/** Rules and test cases of a signer take a tenth of a second, in which no other write runs: those of one change at a time. */
const SLOW_TURNS = { atOnce: 1, maxWaiting: 1_000 }
/** Enough for one actor that the writes in a commit are many. */
const ACTOR_TURNS = { atOnce: 64, perKey: 32, maxWaiting: 10_000 }

/**
 * Wraps a store so that callers of the hosted API take turns to write by organization, those of SCIM by signer, and sessions by identity. Changes that can
 * take long run one at a time. Logins and the controller itself never wait for a turn. With too many waiting, further ones fail with
 * SERVER_TOO_MANY_REQUESTS. A write has the time of its turn: its caller may have waited long for that, or for a provider before it, and have lost the
 * right meanwhile.
 */
export function withWriteTurns(store: Store, clock: Clock): Store {
  const organizations = new FairQueue(ORGANIZATION_TURNS)
  const signers = new FairQueue(SIGNER_TURNS)
  const large = new FairQueue(LARGE_TURNS)
  const slow = new FairQueue(SLOW_TURNS)
  // PostgreSQL has turns of its own, in its queue for connections. They begin later than `run` is called.
  const actors = store.dialect === 'sqlite' ? new FairQueue(ACTOR_TURNS) : undefined
  return {
    ...store,
    run: (operation, args, meta) => {
      const write = () => store.run(operation, args, { ...meta, now: clock.now(), ...(!actors && { clock }) })
      if (meta.organizationId !== undefined) return organizations.run(meta.organizationId, write)
      if (meta.signerId !== undefined) return (meta.isLarge ? large : signers).run(meta.signerId, write)
      if (meta.isLarge) return slow.run(meta.actorId, write)
      if (!hasSession(meta)) return store.run(operation, args, meta)
      return actors ? actors.run(meta.actorId, write) : write()
    },
  }
}

/** A login has no session yet. */
function hasSession({ credential }: OperationMeta): boolean {
  return credential !== undefined && 'sessionId' in credential
}
