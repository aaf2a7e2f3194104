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
  readonly address: string
  readonly network: string
  since: number
}

/** The handshakes of one IPv4 address or /48 network. */
interface Lane {
  readonly running: Set<Entry>
  readonly waiting: Set<Entry>
  cancelCheck?: (() => void) | undefined
}

interface Budget {
  readonly buckets: TokenBuckets
  readonly limit: string
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
/** OpenSSL checks all certificates of a handshake before the process sees it: only the number of handshakes bounds what is checked at once. */
const AT_ONCE = 2
const AT_ONCE_IF_KNOWN = 4
const MAX_WAIT_MS = 10_000
/** A handshake that takes longer is cut when others of its lane wait. */
const SLOW_MS = 2_000
const CHECK_MS = 100

/**
 * Limits the processor time that client certificates cost in handshakes, in bytes per client network. A handshake is charged when it has ended,
 * which can leave a debt. Until that is paid, connections of the network wait before TLS begins.
 */
export class HandshakeLimiter {
  readonly #known: KnownNetworks
  readonly #sharing: AttemptSharing | undefined
  readonly #scheduler: Scheduler
  readonly #reporter: LimitReporter
  readonly #lanes = new Map<string, Lane>()
  readonly #ofNetwork = createBudget(LIMIT, 1)
  readonly #ofSite = createBudget(`${LIMIT}Site`, SITE_FACTOR)
  readonly #ofKnown = createBudget(`${LIMIT}Known`, KNOWN_FACTOR)
  readonly #ofKnownSite = createBudget(`${LIMIT}KnownSite`, KNOWN_FACTOR)

  constructor({ known, sharing, scheduler = systemScheduler, ...parts }: HandshakeLimiterParts) {
    this.#known = known
    this.#sharing = sharing
    this.#scheduler = scheduler
    this.#reporter = new LimitReporter({ ...parts, limit: LIMIT })
    for (const { limit, buckets } of [this.#ofNetwork, this.#ofSite, this.#ofKnown, this.#ofKnownSite]) {
      sharing?.onNoted(limit, (key, bytes) => buckets.spend(key, bytes, scheduler.elapsedMs()))
    }
  }

  /** Calls `start`, at once or when the earlier handshakes of the network allow it, or `cut` after ten seconds. */
  begin(address: string, calls: HandshakeCalls): Handshake {
    const network = clientNetwork(address)
    const name = findClientSite(address) ?? network
    const lane = this.#lanes.get(name) ?? { running: new Set(), waiting: new Set() }
    this.#lanes.set(name, lane)
    const entry = { ...calls, address, network, since: this.#scheduler.elapsedMs() }
    lane.waiting.add(entry)
    this.#startNext(name, lane)
    return { end: (bytes) => this.#end(name, lane, entry, bytes) }
  }

  /** Records a connection that is closed for its certificates. */
  noteRefusal(address: string): void {
    this.#reporter.noteRefusal(clientNetwork(address))
  }

  #end(name: string, lane: Lane, entry: Entry, bytes: number): void {
    const wasWaiting = lane.waiting.delete(entry)
    if (!lane.running.delete(entry) && !wasWaiting) return
    if (bytes > 0) this.#charge(entry.address, handshakeCharge(bytes))
    this.#startNext(name, lane)
  }

  #charge(address: string, charge: number): void {
    for (const [{ buckets, limit }, key] of this.#budgetsOf(address)) {
      buckets.spend(key, charge, this.#scheduler.elapsedMs())
      this.#sharing?.note(limit, key, charge)
    }
  }

  #startNext(name: string, lane: Lane): void {
    const full = new Set<string>()
    for (const entry of lane.waiting) {
      if (full.has(entry.network)) continue
      if (!this.#hasTurn(entry, lane)) {
        full.add(entry.network)
        continue
      }
      lane.waiting.delete(entry)
      lane.running.add(entry)
      entry.since = this.#scheduler.elapsedMs()
      entry.start()
    }
    if (lane.waiting.size > 0) lane.cancelCheck ??= this.#scheduler.after(CHECK_MS, () => this.#check(name, lane))
    else this.#release(name, lane)
  }

  #hasTurn({ address }: Entry, { running }: Lane): boolean {
    const atOnce = this.#known.isKnown(address) ? AT_ONCE_IF_KNOWN : AT_ONCE
    return running.size < atOnce && this.#budgetsOf(address).every(([budget, key]) => this.#isOpen(budget, key))
  }

  #isOpen({ buckets }: Budget, key: string): boolean {
    return buckets.waitFor(key, 1, this.#scheduler.elapsedMs()) === 0
  }

  #check(name: string, lane: Lane): void {
    lane.cancelCheck = undefined
    const now = this.#scheduler.elapsedMs()
    for (const entry of lane.running) if (now - entry.since >= SLOW_MS) entry.cut()
    for (const entry of lane.waiting) {
      if (now - entry.since < MAX_WAIT_MS) continue
      lane.waiting.delete(entry)
      this.noteRefusal(entry.address)
      entry.cut()
    }
    this.#startNext(name, lane)
  }

  #release(name: string, lane: Lane): void {
    lane.cancelCheck?.()
    lane.cancelCheck = undefined
    if (lane.running.size === 0) this.#lanes.delete(name)
  }

  /** Known networks have larger budgets, and none in common with strangers. */
  #budgetsOf(address: string): (readonly [Budget, string])[] {
    const isKnown = this.#known.isKnown(address)
    const own = [isKnown ? this.#ofKnown : this.#ofNetwork, clientNetwork(address)] as const
    const site = findClientSite(address)
    return site === undefined ? [own] : [own, [isKnown ? this.#ofKnownSite : this.#ofSite, site]]
  }
}

function createBudget(limit: string, factor: number): Budget {
  const size = { burst: BURST * factor, perSecond: PER_SECOND * factor, debt: DEBT * factor }
  return { limit, buckets: new TokenBuckets(size, SLOTS) }
}
