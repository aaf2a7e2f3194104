import type { ToldEvent } from '../../events/event-ring.ts'
import type { MetricsSnapshot } from '../../events/metrics/gathered-metrics.ts'
import type { SharedFetchAnswer, SharedFetchRequest } from '../../keyset/shared-fetches.ts'
import type { NotedAttempts } from '../../limits/attempt-sharing.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { DataDir } from '../data-dir.ts'
import type { FirstAdmin } from '../first-admin.ts'

/** What a worker is told when it starts. */
export interface WorkerStart {
  readonly settings: Settings
  readonly dataDir: Pick<DataDir, 'path' | 'databaseFile' | 'keysDir'>
  readonly nodeId: string
  readonly instanceId: string
  readonly isLead: boolean
  readonly workers: number
  /** So that a client that comes back to another worker need not show who it is from the beginning. */
  readonly ticketKeys: Buffer
  readonly port: number
}

/** The events that a worker reads, from that number on. */
export interface ToldEvents {
  readonly first: number
  readonly events: readonly ToldEvent[]
}

/** What a worker does for the process that started it. */
export type WorkerProcedures = {
  /** Answers the port on which it listens. */
  start(start: WorkerStart): Promise<number>
  ensureFirstAdmin(nothing: null): Promise<FirstAdmin>
  reloadKeys(nothing: null): Promise<void>
  metrics(nothing: null): Promise<MetricsSnapshot>
  attempts(noted: NotedAttempts): void
  events(told: ToldEvents): void
  /** Stops when its clients have gone, or after so long; answers its last measurements. */
  stop(options: { readonly lingerMs: number }): Promise<MetricsSnapshot>
}

/** What the process that started them does for workers. */
export type PrimaryProcedures = {
  attempts(noted: NotedAttempts): void
  publish(events: readonly ToldEvent[]): void
  /** Another stream of events: answers what is remembered. Throws when there are too many on this node. */
  openStream(nothing: null): ToldEvents
  closeStream(nothing: null): void
  takeGuess(guess: { readonly name: string; readonly most: number }): Promise<GuessTaken | undefined>
  judgeGuess(judged: { readonly place: number; readonly isRight: boolean }): Promise<number>
  lockGuesses(locked: { readonly place: number; readonly until: number }): Promise<void>
  forgetGuesses(place: number): Promise<void>
  leaveGuess(place: number): Promise<void>
  fetch(request: SharedFetchRequest): Promise<SharedFetchAnswer>
}

export interface GuessTaken {
  readonly place: number
  readonly wrong: number
}
