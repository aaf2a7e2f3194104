import { FairQueue } from './fair-queue.ts'

interface GroupedQueueOptions {
  /** How much work runs at the same time. */
  readonly atOnce: number
  /** How much of it may be of one group; by default one piece. */
  readonly perGroup?: number
  /** With more work of one member waiting, further work for it fails with SERVER_TOO_MANY_REQUESTS. */
  readonly maxWaiting: number
  /** Work that has waited longer when its turn comes fails with TIMEOUT. */
  readonly maxWaitMs: number
}

interface Members {
  readonly queue: FairQueue
  /** Work that runs or waits. */
  count: number
}

/** Runs asynchronous work, a limited amount at a time, in all and of a group. Groups take turns, and so do the members of a group, however many it has. */
export class GroupedQueue {
  readonly #groups: FairQueue
  readonly #createMembers: () => FairQueue
  readonly #membersOf = new Map<string, Members>()

  constructor({ atOnce, perGroup = 1, ...limits }: GroupedQueueOptions) {
    this.#groups = new FairQueue({ ...limits, atOnce, perKey: perGroup, maxWaiting: perGroup })
    this.#createMembers = () => new FairQueue({ ...limits, atOnce: perGroup })
  }

  /** Whether work of this group runs or waits. */
  hasWork(group: string): boolean {
    return this.#membersOf.has(group)
  }

  async run<Result>(group: string, member: string, work: () => Promise<Result>): Promise<Result> {
    const since = performance.now()
    const members = this.#membersOf.get(group) ?? { queue: this.#createMembers(), count: 0 }
    this.#membersOf.set(group, members)
    members.count += 1
    try {
      return await members.queue.run(member, () => this.#groups.run(group, work, { since }), { since })
    } finally {
      members.count -= 1
      if (members.count === 0) this.#membersOf.delete(group)
    }
  }
}
