import { AppError } from '@countersign/core'
import type { Scheduler } from '../../src/platform/scheduler.ts'
import type { OperationMeta } from '../../src/store/operation-meta.ts'
import { isUnavailable } from '../../src/store/postgres/connection-error.ts'
import type { Cast } from './cast.ts'
import type { EnrollmentHistory } from './enrollment-history.ts'
import type { KeptWrites } from './kept-writes.ts'
import type { Random } from './random.ts'
import type { SessionHistory } from './session-history.ts'
import { CrashedError, type RunningNode, type SimulatedNode } from './simulated-node.ts'
import type { Trace } from './trace.ts'

/** What clients act on. */
export interface Stage {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly trace: Trace
  readonly cast: Cast
  readonly history: SessionHistory
  readonly keptWrites: KeptWrites
  readonly enrollments: EnrollmentHistory
  readonly nodes: readonly SimulatedNode[]
  /** A node to write to. Where there are others, nothing but notifications changes their caches. */
  findWriter(): SimulatedNode
  readonly counts: Record<Outcome | 'accepted' | 'declined', number>
  /** Lets a client act after a time. */
  later(ms: number, act: () => Promise<void>): void
}

/** Of a request without an answer it is unknown whether it had an effect. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown'

/** Sends a request to a node. The result is undefined unless it was acknowledged. */
export async function send<Result>(
  { trace, counts }: Stage,
  node: SimulatedNode,
  what: string,
  serve: (node: RunningNode, meta: (actorId?: string) => OperationMeta) => Promise<Result>,
): Promise<{ readonly outcome: Outcome; readonly result?: Result }> {
  const request = `${node.name}: ${what}`
  trace.note(request)
  const finish = (outcome: Outcome, detail = ''): Outcome => {
    trace.note(`${request}: ${outcome}${detail}`)
    counts[outcome] += 1
    return outcome
  }
  try {
    const meta = (actorId = 'system') => ({ actorId, now: node.clock.now() })
    const result = await node.call((running) => serve(running, meta))
    return { outcome: finish('acknowledged'), result }
  } catch (error) {
    if (error instanceof CrashedError) return { outcome: finish('unknown', ', the node crashed') }
    if (isWithoutStore(error)) return { outcome: finish('unknown', ', the database is not available') }
    if (!(error instanceof AppError)) throw error
    return { outcome: finish('refused', `, ${error.code}`) }
  }
}

/** Uses a session on a node, and checks the answer against the history. */
export async function use(stage: Stage, node: SimulatedNode, session: Cast['sessions'][number]): Promise<void> {
  const { trace, history, scheduler, counts } = stage
  const startedAt = scheduler.elapsedMs()
  let isValid: boolean
  try {
    isValid = (await node.call(({ sessions }) => sessions.find(session.token))) !== undefined
  } catch (error) {
    if (error instanceof CrashedError || isWithoutStore(error)) return
    throw error
  }
  const endedAt = scheduler.elapsedMs()
  counts[isValid ? 'accepted' : 'declined'] += 1
  trace.note(`${node.name}: use ${session.name}: ${isValid ? 'valid' : 'not valid'}`)
  const isOwn = (commit: number) => (node.acknowledgedAt.get(commit) ?? endedAt) < startedAt
  const made = { sessionId: session.id, policyId: session.identity.policyId, startedAt, endedAt, isOwn }
  if (history.isPossible(isValid, made)) return
  const since = history.endedSince(made).toFixed(1)
  const answer = isValid
    ? `accepts ${session.name} ${since} ms after its end`
    : `refuses ${session.name}, which is valid`
  trace.violate(`${node.name} ${answer}`)
}

/** After this time the end of a session is felt everywhere, unless it was delayed itself. */
const PROBED_AFTER_MS = [1_000, 2_500] as const
const WARM_MS = 100

/** Ends sessions when they are in the caches of all nodes, and uses them again on all nodes, around the time when the end must be felt. */
export async function endSessions(
  stage: Stage,
  sessions: readonly Cast['sessions'][number][],
  end: () => Promise<void>,
): Promise<void> {
  const { nodes, random, scheduler } = stage
  const useOnAll = (from: number, to: number): void => {
    for (const session of sessions)
      for (let index = 0; index < nodes.length; index++) {
        // The node of this number at that time: it may be another process.
        stage.later(random.between(from, to), () => use(stage, nodes[index] as SimulatedNode, session))
      }
  }
  useOnAll(0, WARM_MS)
  await new Promise<void>((resolve) => scheduler.after(random.between(0, 2 * WARM_MS), resolve))
  useOnAll(...PROBED_AFTER_MS)
  await end()
  useOnAll(0, WARM_MS)
}

function isWithoutStore(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof AppError && error.code === 'STORE_UNAVAILABLE')
}
