import type { SerializedEvent } from '../../events/event-ring.ts'
import type { MetricsSnapshot } from '../../events/metrics/metrics-aggregator.ts'
import type { StreamHolder } from '../../events/stream-places.ts'
import type { SharedJwksRequest, SharedJwksResponse } from '../../keyset/shared-jwks-fetch.ts'
import type { NotedAttempts } from '../../limits/attempt-sharing.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { Change } from '../../store/change.ts'
import type { DataDir } from '../data-dir.ts'
import type { SendProcedures } from '../delivery/protocol.ts'
import type { FirstAdmin } from '../first-admin.ts'

/** The argument of a worker's `start`. */
export interface WorkerStart {
  readonly settings: Settings
  readonly dataDir: Pick<DataDir, 'path' | 'databaseFile' | 'keysDir'>
  readonly nodeId: string
  readonly instanceId: string
  readonly isLead: boolean
  readonly workers: number
  /** TLS session ticket keys, shared so that a client can resume its session on another worker. */
  readonly ticketKeys: Buffer
  readonly port: number
}

/** Consecutive events of the node; `first` is the number of the first one. */
export interface EventBatch {
  readonly first: number
  readonly events: readonly SerializedEvent[]
}

/** Procedures that a worker offers its primary process. */
export type WorkerProcedures = {
  /** Returns the port on which the worker listens. */
  start(start: WorkerStart): Promise<number>
  ensureFirstAdmin(nothing: null): Promise<FirstAdmin>
  reloadKeys(nothing: null): Promise<void>
  metrics(nothing: null): Promise<MetricsSnapshot>
  attempts(noted: NotedAttempts): void
  changes(changes: readonly Change[]): void
  events(batch: EventBatch): void
  /** Stops when all clients have disconnected, at the latest after `lingerMs`. Returns the last metrics. */
  stop(options: { readonly lingerMs: number }): Promise<MetricsSnapshot>
}

/** Procedures that the primary process offers its workers. */
export type PrimaryProcedures = SendProcedures & {
  attempts(noted: NotedAttempts): void
  /** Resolves when the other workers have received the changes. */
  changes(changes: readonly Change[]): Promise<void>
  publish(events: readonly SerializedEvent[]): void
  /** Opens an event stream. Returns the remembered events. Throws when the node has too many streams. */
  openStream(holder: StreamHolder): EventBatch
  closeStream(holder: StreamHolder): void
  beginGuess(guess: { readonly name: string; readonly max: number }): Promise<StartedGuess | undefined>
  settleGuess(settled: { readonly id: number; readonly isRight: boolean }): Promise<number>
  lockGuesses(locked: { readonly id: number; readonly until: number }): Promise<void>
  resetGuesses(id: number): Promise<void>
  endGuess(id: number): Promise<void>
  fetch(request: SharedJwksRequest): Promise<SharedJwksResponse>
}

export interface StartedGuess {
  readonly id: number
  readonly wrong: number
}
