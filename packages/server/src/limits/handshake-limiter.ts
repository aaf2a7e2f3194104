import { clientNetwork, findClientSite, handshakeCharge, TokenBuckets } from '@countersign/core'
import { type Scheduler, systemScheduler } from '../platform/scheduler.ts'
import type { AttemptSharing } from './attempt-sharing.ts'
import type { KnownNetworks } from './known-networks.ts'
import { LimitReporter, type LimitReporterParts } from './limit-reporter.ts'

interface HandshakeLimiterParts extends Omit<LimitReporterParts, 'limit'> {
  readonly known: KnownNetworks
  readonly sharing?: AttemptSharing | undefined
  readonly scheduler?: Scheduler
}

/** What the limiter does with a connection. */
export interface HandshakeCalls {
  /** Begins the handshake. */
  start(): void
  /** Closes the connection, before or in its handshake. */
  cut(): void
}

/** A connection from its admission to the end of its handshake. */
export interface Handshake {
  /** Charges the bytes to the client's network. Only the first call counts. */
  end(bytes: number): void
}

interface Entry extends HandshakeCalls {
  readonly network: string
  since: number
}

interface Budget {
  readonly buckets: TokenBuckets
  readonly limit: string
}

/** What known networks may do, or the others. */
interface Allowance {
  readonly name: string
  readonly atOnce: number
  readonly ofNetwork: Budget
  readonly ofSite: Budget
}

/** The handshakes of one IPv4 address, or of the known or the other networks of one /48. */
interface Lane {
  readonly key: string
  readonly allowance: Allowance
  readonly site: string | undefined
  readonly running: Set<Entry>
  /** By network, that with the earliest turn first. */
  readonly waiting: Map<string, Set<Entry>>
  checkAt: number
  cancelCheck?: (() => void) | undefined
}

const LIMIT = 'handshake'
const KIB = 1024
const BURST = 128 * KIB
const PER_SECOND = 16 * KIB
/** More than the handshakes of a network that run at the same time can cost, so that all of it is paid. */
const DEBT = 1024 * KIB
/** Fewer than usual, because every connection uses them. */
const SLOTS = 16_384
/** Less than for other limits: ten times the rate of one network would keep a processor busy. */
const SITE_FACTOR = 3
const KNOWN_FACTOR = 3
/** Twice that of one network, so that none uses up what its neighbours have. */
const KNOWN_SITE_FACTOR = 6
/** OpenSSL checks all certificates of a handshake before the process sees it: only the number of handshakes bounds what is checked at once. */
const AT_ONCE = 2
const AT_ONCE_IF_KNOWN = 4
const MAX_WAIT_MS = 10_000
/** A handshake that takes longer is cut when others of its lane wait. */
const SLOW_MS = 1_000
const CHECK_MS = 100

/**
 * Limits the processor time that client certificates cost in handshakes, in bytes per client network. A handshake is charged when it has ended,
 * which can leave a debt. Until that is paid, connections of the network wait before TLS begins. Its own work for a connection does not grow with
 * the number of those that wait.
 */
export class HandshakeLimiter {
  readonly #known: KnownNetworks
  readonly #sharing: AttemptSharing | undefined
  readonly #scheduler: Scheduler
  readonly #reporter: LimitReporter
  readonly #lanes = new Map<string, Lane>()
  readonly #ofStrangers: Allowance = {
    name: '',
    atOnce: AT_ONCE,
    ofNetwork: createBudget(LIMIT, 1),
    ofSite: createBudget(`${LIMIT}Site`, SITE_FACTOR),
  }
  /** Larger, and nothing in common with strangers. */
  readonly #ofKnown: Allowance = {
    name: 'known ',
    atOnce: AT_ONCE_IF_KNOWN,
    ofNetwork: createBudget(`${LIMIT}Known`, KNOWN_FACTOR),
    ofSite: createBudget(`${LIMIT}KnownSite`, KNOWN_SITE_FACTOR),
  }

  constructor({ known, sharing, scheduler = systemScheduler, ...parts }: HandshakeLimiterParts) {
    this.#known = known
    this.#sharing = sharing
    this.#scheduler = scheduler
    this.#reporter = new LimitReporter({ ...parts, limit: LIMIT })
    for (const { ofNetwork, ofSite } of [this.#ofStrangers, this.#ofKnown]) {
      for (const { limit, buckets } of [ofNetwork, ofSite]) {
        sharing?.onNoted(limit, (key, bytes) => buckets.spend(key, bytes, scheduler.elapsedMs()))
      }
    }
  }

  /** Calls `start`, at once or when the earlier handshakes of the network allow it, or `cut` after ten seconds. */
  begin(address: string, calls: HandshakeCalls): Handshake {
    const network = clientNetwork(address)
    const lane = this.#laneOf(address, network)
    const entry = { ...calls, network, since: this.#scheduler.elapsedMs() }
    const others = lane.waiting.get(network)
    if (others) others.add(entry)
    else lane.waiting.set(network, new Set([entry]))
    this.#startNext(lane)
    return { end: (bytes) => this.#end(lane, entry, bytes) }
  }

  /** Records a connection that is closed for its certificates. */
  noteRefusal(address: string): void {
    this.#reporter.noteRefusal(clientNetwork(address))
  }

  /** Closes the connections that wait, when no further one is served. */
  cutWaiting(): void {
    const waiting = [...this.#lanes.values()].flatMap((lane) => [...lane.waiting.values()])
    for (const entry of waiting.flatMap((entries) => [...entries])) entry.cut()
  }

  #laneOf(address: string, network: string): Lane {
    const allowance = this.#known.isKnown(address) ? this.#ofKnown : this.#ofStrangers
    const site = findClientSite(address)
    const key = allowance.name + (site ?? network)
    const lane = this.#lanes.get(key) ?? {
      key,
      allowance,
      site,
      running: new Set(),
      waiting: new Map(),
      checkAt: 0,
    }
    this.#lanes.set(key, lane)
    return lane
  }

  #end(lane: Lane, entry: Entry, bytes: number): void {
    const wasWaiting = removeWaiting(lane, entry)
    if (!lane.running.delete(entry) && !wasWaiting) return
    if (bytes > 0) this.#charge(lane, entry.network, handshakeCharge(bytes))
    this.#startNext(lane)
  }

  #charge({ allowance: { ofNetwork, ofSite }, site }: Lane, network: string, charge: number): void {
    this.#spend(ofNetwork, network, charge)
    if (site !== undefined) this.#spend(ofSite, site, charge)
  }

  #spend({ buckets, limit }: Budget, key: string, charge: number): void {
    buckets.spend(key, charge, this.#scheduler.elapsedMs())
    this.#sharing?.note(limit, key, charge)
  }

  #startNext(lane: Lane): void {
    const { running, waiting, allowance } = lane
    // Few networks are passed over: before many of a /48 can be in debt, the /48 itself is.
    for (const [network, [entry]] of waiting) {
      if (running.size >= allowance.atOnce || !this.#isSiteOpen(lane)) break
      if (entry && this.#isOpen(allowance.ofNetwork, network)) this.#start(lane, entry)
    }
    if (waiting.size === 0) this.#release(lane)
    else if (!lane.cancelCheck) {
      lane.checkAt = this.#scheduler.elapsedMs() + CHECK_MS
      lane.cancelCheck = this.#scheduler.after(CHECK_MS, () => this.#check(lane))
    }
  }

  /** The other connections of the network wait until each other network has had its turn. */
  #start({ running, waiting }: Lane, entry: Entry): void {
    const others = waiting.get(entry.network)
    others?.delete(entry)
    waiting.delete(entry.network)
    if (others && others.size > 0) waiting.set(entry.network, others)
    running.add(entry)
    entry.since = this.#scheduler.elapsedMs()
    entry.start()
  }

  #isSiteOpen({ allowance, site }: Lane): boolean {
    return site === undefined || this.#isOpen(allowance.ofSite, site)
  }

  #isOpen({ buckets }: Budget, key: string): boolean {
    return buckets.waitFor(key, 1, this.#scheduler.elapsedMs()) === 0
  }

  #check(lane: Lane): void {
    lane.cancelCheck = undefined
    const now = this.#scheduler.elapsedMs()
    // When this process was busy, what clients have sent is read first.
    const isLate = now - lane.checkAt > CHECK_MS
    for (const entry of lane.running) if (!isLate && now - entry.since >= SLOW_MS) entry.cut()
    for (const [network, entries] of lane.waiting) {
      for (const entry of entries) {
        if (now - entry.since < MAX_WAIT_MS) break
        removeWaiting(lane, entry)
        this.#reporter.noteRefusal(network)
        entry.cut()
      }
    }
    this.#startNext(lane)
  }

  #release(lane: Lane): void {
    lane.cancelCheck?.()
    lane.cancelCheck = undefined
    if (lane.running.size === 0) this.#lanes.delete(lane.key)
  }
}

function removeWaiting({ waiting }: Lane, entry: Entry): boolean {
  const entries = waiting.get(entry.network)
  if (!entries?.delete(entry)) return false
  if (entries.size === 0) waiting.delete(entry.network)
  return true
}

function createBudget(limit: string, factor: number): Budget {
  const size = { burst: BURST * factor, perSecond: PER_SECOND * factor, debt: DEBT * factor }
  return { limit, buckets: new TokenBuckets(size, SLOTS) }
}
