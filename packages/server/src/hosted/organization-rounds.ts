import { withDeadline } from '../outbound/with-deadline.ts'
import { FairQueue } from '../platform/fair-queue.ts'

export interface RoundLimits {
  /** How many organizations have their turn at the same time. */
  readonly atOnce: number
  /** For how long in its turn an organization begins with further work. */
  readonly beginsMs: number
  /** When the requests of its turn are aborted. */
  readonly endsMs: number
}

export const ROUND_LIMITS: RoundLimits = { atOnce: 16, beginsMs: 15_000, endsMs: 30_000 }

/** Work for an organization at its provider. Resolves to false when it failed. */
type Work<Item> = (item: Item, signal: AbortSignal) => Promise<boolean>

/** Does what is due for all organizations. Their providers may be slow, so organizations have turns beside each other, and each turn ends. */
export class OrganizationRounds {
  readonly #limits: RoundLimits
  readonly #queue: FairQueue

  constructor(limits: RoundLimits = ROUND_LIMITS) {
    this.#limits = limits
    this.#queue = new FairQueue({ atOnce: limits.atOnce, perKey: 1, maxWaiting: 1 })
  }

  /** After a failure, and at the end of its turn, the rest of an organization waits for the next round. */
  async run<Item extends { readonly organizationId: string }>(items: readonly Item[], work: Work<Item>): Promise<void> {
    const turns = [...Map.groupBy(items, ({ organizationId }) => organizationId)]
    const ended = await Promise.allSettled(
      turns.map(([id, own]) => this.#queue.run(id, () => this.#takeTurn(own, work))),
    )
    for (const turn of ended) if (turn.status === 'rejected') throw turn.reason
  }

  async #takeTurn<Item>(items: readonly Item[], work: Work<Item>): Promise<void> {
    const { beginsMs, endsMs } = this.#limits
    const since = performance.now()
    await withDeadline(endsMs, async (signal) => {
      for (const item of items) {
        if (performance.now() - since >= beginsMs || !(await work(item, signal))) return
      }
    })
  }
}
