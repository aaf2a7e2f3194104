import { createFakeTime } from '../keyset/fake-time.ts'
import { ACTIONS } from './actions.ts'
import { createCast } from './cast.ts'
import { type Stage, use } from './client.ts'
import { EnrollmentHistory } from './enrollment-history.ts'
import { FAULTS } from './faults.ts'
import { create } from './identity-actions.ts'
import { KeptWrites } from './kept-writes.ts'
import { Random } from './random.ts'
import { SessionHistory } from './session-history.ts'
import type { SharedDatabase } from './shared-database.ts'
import { Notifier } from './simulated-feed.ts'
import { type NodeOptions, SimulatedNode } from './simulated-node.ts'
import { Trace } from './trace.ts'

const NODES = 3
const FIRST_IDENTITIES = 4
const DURATION_MS = 15_000
const MAX_PAUSE_MS = 200
const MAX_PAUSE_BETWEEN_FAULTS_MS = 2_000
const MAX_FAULT_MS = 3_000
const TIMEOUTS_MS = [600, 2_000, 6_000] as const
/** Until every request has its answer, and every node its connections. */
const REPAIR_MS = 9_000
const LAST_USES_MS = 1_000
/** The part of notifications, or of writes, that are lost. Some simulations have no such faults. */
const LOSS_RATES = [0, 0, 0.05, 0.4] as const

/** Parts of the nodes that a test replaces by broken ones. */
export type Parts = NodeOptions['parts']

/** Nodes on one database, their clients and their faults. All of it follows from the seed, and no real time passes. */
export class Simulation {
  readonly stage: Stage
  readonly #database: SharedDatabase
  readonly #time = createFakeTime({ turns: 2 })
  readonly #notifier: Notifier
  readonly #nodes: SimulatedNode[] = []
  readonly #nodeOptions: Omit<NodeOptions, 'name'>
  readonly #running: Promise<void>[] = []
  #isRepaired = false

  constructor(seed: number, database: SharedDatabase, parts: Parts) {
    const { scheduler, clock } = this.#time
    const random = new Random(seed)
    this.#database = database
    this.#notifier = new Notifier({ database, random, lossRate: random.pick(LOSS_RATES) })
    this.#nodeOptions = {
      database,
      notifier: this.#notifier,
      scheduler,
      random,
      parts,
      clock,
      failureRate: random.pick(LOSS_RATES) / 4,
      requestTimeoutMs: random.pick(TIMEOUTS_MS),
    }
    const writers = random.pick([NODES, NODES - 1])
    this.stage = {
      scheduler,
      random,
      trace: new Trace(scheduler),
      history: new SessionHistory(),
      keptWrites: new KeptWrites(),
      enrollments: new EnrollmentHistory(),
      cast: { identities: [], sessions: [], created: 0 },
      nodes: this.#nodes,
      findWriter: () => random.find(this.#nodes.slice(0, writers)) as SimulatedNode,
      counts: { acknowledged: 0, refused: 0, unknown: 0, accepted: 0, declined: 0 },
      later: (ms, act) => void scheduler.after(ms, () => void this.#running.push(act())),
    }
  }

  async run(): Promise<void> {
    const { history, scheduler, keptWrites, enrollments, trace } = this.stage
    this.#database.begin((commit) => history.record(this.#database, commit, scheduler.elapsedMs()))
    try {
      await createCast(this.#database, this.#time.clock.now())
      await this.#play()
      keptWrites.check(this.#database, trace)
      enrollments.check(this.#database, trace)
    } finally {
      for (const node of this.#nodes) node.crash()
      this.#database.rollBack()
    }
  }

  async #play(): Promise<void> {
    for (let number = 1; number <= NODES; number++) this.#startNode(`node-${number}`)
    await this.#time.advance(1_000)
    for (let created = 0; created < FIRST_IDENTITIES; created++) this.#do(create)
    await this.#time.advance(1_000)
    this.#actLater()
    this.#failLater()
    await this.#time.advance(DURATION_MS)
    this.#repair()
    await this.#time.advance(REPAIR_MS)
    await Promise.all(this.#running.splice(0))
    this.#useAllSessions()
    await this.#time.advance(LAST_USES_MS)
    await Promise.all(this.#running)
  }

  #startNode(name: string): void {
    const node = new SimulatedNode({ name, ...this.#nodeOptions })
    const before = this.#nodes.findIndex((other) => other.name === name)
    if (before === -1) this.#nodes.push(node)
    else this.#nodes[before] = node
    void node.start()
  }

  #do(act: (typeof ACTIONS)[number]['run']): void {
    this.#running.push(act(this.stage, this.stage.findWriter()))
  }

  #actLater(): void {
    const { scheduler, random } = this.stage
    scheduler.after(random.between(0, MAX_PAUSE_MS), () => {
      if (this.#isRepaired) return
      this.#do(random.weighted(ACTIONS).run)
      this.#actLater()
    })
  }

  #failLater(): void {
    const { scheduler, random, trace } = this.stage
    scheduler.after(random.between(0, MAX_PAUSE_BETWEEN_FAULTS_MS), () => {
      const node = random.find(this.#nodes)
      if (this.#isRepaired || !node) return
      const later = (act: () => void): void => void scheduler.after(random.between(0, MAX_FAULT_MS), act)
      const replace = () => later(() => this.#startNode(node.name))
      const isOver = () => this.#isRepaired
      const faulty = { random, notifier: this.#notifier, nodes: this.#nodes, replace, later, isOver }
      trace.note(random.weighted(FAULTS).strike(faulty, node))
      this.#failLater()
    })
  }

  #repair(): void {
    this.#isRepaired = true
    this.stage.trace.note('everything is repaired')
    this.#notifier.isStandby = false
    for (const node of this.#nodes) {
      node.link.repair()
      node.clockOffsetMs = 0
    }
  }

  /** Without faults every node responds, and correctly. */
  #useAllSessions(): void {
    const { cast, trace, history } = this.stage
    // Of those that have ended, some are enough.
    const used = cast.sessions.filter(
      ({ id, identity }, index) => history.isValid(id, identity.policyId) || index % 4 === 0,
    )
    for (const node of this.#nodes) {
      if (!node.isRunning) trace.violate(`${node.name} does not run again`)
      for (const session of used) this.#running.push(use(this.stage, node, session))
    }
  }
}
