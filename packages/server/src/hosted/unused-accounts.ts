import { unusedAccountEvent } from '../events/api-account-event.ts'
import type { EventHub } from '../events/event-hub.ts'
import { warnOfUnusedAccounts } from '../operations/api-account/warn-of-unused-accounts.ts'
import type { Clock } from '../platform/clock.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import { unusedAccounts } from '../store/reads/account-use-reads.ts'
import type { Store } from '../store/store.ts'

interface UnusedAccountsParts {
  readonly store: Pick<Store, 'db' | 'readLong' | 'run'>
  readonly clock: Clock
  readonly events: Pick<EventHub, 'publish'>
  /** After how many days without use an account is reported; 0 for never. */
  readonly days: number
}

const DAY_MS = 86_400_000

/** Reports each API account that was not used for `days` days to its organization, once until it is used again. */
export async function reportUnusedAccounts({ store, clock, events, days }: UnusedAccountsParts): Promise<void> {
  if (days === 0) return
  const actorId = SYSTEM_ACTOR.id
  const unusedSince = clock.now() - days * DAY_MS
  const isAny = async () =>
    (await store.readLong(actorId, unusedAccounts(store.db, unusedSince, 1).compile())).length > 0
  while (await isAny()) {
    const unused = await store.run(warnOfUnusedAccounts, { unusedSince }, { actorId, now: clock.now() })
    for (const account of unused)
      events.publish(unusedAccountEvent(account, days), { organizationId: account.organizationId })
  }
}
