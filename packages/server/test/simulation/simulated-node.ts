import { makeTestCertificate } from '@countersign/testkit'
import { pino } from 'pino'
import { EnrollmentRedemption } from '../../src/enrollment/enrollment-redemption.ts'
import { expireSession } from '../../src/operations/api-session/end-session.ts'
import { extendSession } from '../../src/operations/api-session/extend-session.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { IssuedCertificate } from '../../src/platform/keys/client-certificates.ts'
import type { Scheduler } from '../../src/platform/scheduler.ts'
import { LiveSessions } from '../../src/session/live-sessions.ts'
import type { Store } from '../../src/store/store.ts'
import { KnownPolicies } from '../../src/token/known-policies.ts'
import { Link } from './link.ts'
import type { Random } from './random.ts'
import type { SharedDatabase } from './shared-database.ts'
import type { Notifier } from './simulated-feed.ts'
import { openSimulatedStore, type StoreParts } from './simulated-store.ts'

export interface NodeOptions {
  readonly name: string
  readonly database: SharedDatabase
  readonly notifier: Notifier
  readonly scheduler: Scheduler
  readonly random: Random
  readonly parts: StoreParts & { readonly scheduler?: (scheduler: Scheduler, clock: Clock) => Scheduler }
  /** The wall clock without the jumps of this node. */
  readonly clock: Clock
  readonly failureRate: number
  readonly requestTimeoutMs: number
}

/** Longer than any jump of a clock: sessions end only by what clients do. */
export const SESSION_MS = 24 * 60 * 60_000

/** The process of a node has ended before it answered. */
export class CrashedError extends Error {}

/** A node with its own wall clock, caches and link to the shared database. */
export class SimulatedNode {
  readonly name: string
  readonly link: Link
  readonly clock: Clock
  /** How far its wall clock is ahead. */
  clockOffsetMs = 0
  /** When it has acknowledged commits. */
  readonly acknowledgedAt = new Map<number, number>()
  readonly #options: NodeOptions
  readonly #crash = Promise.withResolvers<never>()
  #isCrashed = false
  #running: RunningNode | undefined

  constructor(options: NodeOptions) {
    const { name, scheduler, random, requestTimeoutMs, clock } = options
    this.#options = options
    this.name = name
    this.link = new Link({ scheduler, random, requestTimeoutMs })
    this.clock = { now: () => Math.round(clock.now() + this.clockOffsetMs) }
    this.#crash.promise.catch(() => {})
  }

  /** Resolves when it serves requests, which may take several attempts. */
  async start(): Promise<void> {
    const { name, scheduler, parts } = this.#options
    const ownScheduler = parts.scheduler?.(scheduler, this.clock) ?? scheduler
    while (!this.#isCrashed) {
      try {
        const store = await openSimulatedStore({
          ...this.#options,
          scheduler: ownScheduler,
          link: this.link,
          nodeId: name,
          onAcknowledged: (commit) => void this.acknowledgedAt.set(commit, scheduler.elapsedMs()),
        })
        if (this.#isCrashed) return await store.close()
        this.#running = startParts(store, this.clock)
        return
      } catch {
        await new Promise<void>((resolve) => scheduler.after(RESTART_MS, resolve))
      }
    }
  }

  get isRunning(): boolean {
    return this.#running !== undefined && !this.#isCrashed
  }

  /** Serves a request. Rejects with a CrashedError when the node crashes before it is answered. */
  call<Result>(serve: (node: RunningNode) => Promise<Result>): Promise<Result> {
    if (!this.#running || this.#isCrashed) return Promise.reject(new CrashedError())
    return Promise.race([serve(this.#running), this.#crash.promise])
  }

  /** Ends the process. What it has sent to the database still happens. */
  crash(): void {
    this.#isCrashed = true
    this.#crash.reject(new CrashedError())
    this.#running?.store.close().catch(() => {})
  }
}

const RESTART_MS = 500

export interface RunningNode {
  readonly store: Store
  readonly clock: Clock
  readonly sessions: LiveSessions
  readonly enrollments: EnrollmentRedemption
}

function startParts(store: Store, clock: Clock): RunningNode {
  const policies = new KnownPolicies(store)
  const sessions = new LiveSessions({
    store,
    clock,
    idleMs: SESSION_MS,
    policies,
    extend: ({ identityId, ...use }) => store.run(extendSession, use, { actorId: identityId, now: clock.now() }),
    expire: ({ identityId, ...session }) =>
      store.run(expireSession, session, { actorId: identityId, now: clock.now() }),
  })
  const enrollments = new EnrollmentRedemption({
    store,
    clock,
    log: pino({ level: 'silent' }),
    clientCertificates: { issue: async (csrPem) => certificateFor(csrPem) },
    digestNewPassword: async () => '',
  })
  return { store, clock, sessions, enrollments }
}

const CERTIFICATE = makeTestCertificate().pem

/** A certificate is named after the key of its request. */
export function certificateFor(key: string): IssuedCertificate {
  return {
    certPem: CERTIFICATE,
    chainPem: CERTIFICATE,
    caPem: '',
    subject: '',
    fingerprint: key,
    publicKeyDigest: key,
  } as IssuedCertificate
}
