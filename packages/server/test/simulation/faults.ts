import type { Random } from './random.ts'
import type { Notifier } from './simulated-feed.ts'
import type { SimulatedNode } from './simulated-node.ts'

/** What faults act on. */
export interface Faulty {
  readonly random: Random
  readonly notifier: Notifier
  readonly nodes: readonly SimulatedNode[]
  /** Replaces a crashed node by a new one. */
  replace(node: SimulatedNode): void
  /** Runs the second part of a fault, or its repair, later. */
  later(act: () => void): void
  /** Whether nothing may fail any more. */
  isOver(): boolean
}

interface Fault {
  readonly weight: number
  /** Returns a description. */
  strike(faulty: Faulty, node: SimulatedNode): string
}

const MAX_JUMP_MS = 3_600_000
const MAX_SLOWNESS = 100

export const FAULTS: readonly Fault[] = [
  {
    weight: 6,
    strike: ({ random, later }, { link, name }) => {
      link.silence()
      const isReset = random.isTrue(0.5)
      later(() => {
        if (isReset) link.reset()
        link.repair()
      })
      return `${name} is cut off from the database`
    },
  },
  {
    weight: 2,
    strike: (_, { link, name }) => {
      link.reset()
      return `the connections of ${name} break`
    },
  },
  {
    weight: 3,
    strike: ({ random, later }, { link, name }) => {
      link.slowDown(random.between(2, MAX_SLOWNESS))
      later(() => link.repair())
      return `the network of ${name} is slow`
    },
  },
  {
    weight: 6,
    strike: ({ random }, node) => {
      node.clockOffsetMs = random.between(-MAX_JUMP_MS, MAX_JUMP_MS)
      return `the clock of ${node.name} jumps to ${(node.clockOffsetMs / 1000).toFixed(0)} s ahead`
    },
  },
  {
    // Where a time is compared with one from before the jump, only the silence after it shows that.
    weight: 4,
    strike: ({ random, later, isOver }, node) => {
      node.clockOffsetMs -= random.between(0, MAX_JUMP_MS)
      later(() => {
        if (isOver()) return
        node.link.silence()
        later(() => node.link.repair())
      })
      return `the clock of ${node.name} is set back, and then it is cut off from the database`
    },
  },
  {
    weight: 2,
    strike: ({ replace }, node) => {
      node.crash()
      replace(node)
      return `${node.name} crashes`
    },
  },
  {
    weight: 1,
    strike: ({ nodes, notifier, later }) => {
      for (const { link } of nodes) link.reset()
      notifier.isStandby = true
      later(() => {
        notifier.isStandby = false
      })
      return 'the connections lead to a standby'
    },
  },
]
