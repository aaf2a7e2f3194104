import type { Logger } from 'pino'
import { createDecisionSample } from '../limits/refusal-sample.ts'
import type { Clock } from '../platform/clock.ts'
import type { AuthDecisionRow } from '../store/schema.ts'
import type { DecisionReason } from './decision-reason.ts'
import { decisionText } from './decision-text.ts'
import type { SignInExplanation } from './login-explanation.ts'

/** A sign-in that was refused. */
export interface RefusedSignIn {
  /** The request id that the caller was told. */
  readonly id: string
  readonly method: 'ext-jwt' | 'password' | 'cert' | 'totp' | 'api-account'
  readonly reason: DecisionReason
  readonly signerId: string | undefined
  readonly identityId: string | undefined
  readonly remoteAddress: string
  /** Asked later, and only when the decision is kept. */
  explain(): Promise<SignInExplanation> | SignInExplanation
}

/** An enrollment with a provider's token that was refused. */
export interface RefusedEnrollment extends Omit<RefusedSignIn, 'method'> {
  readonly method: 'enroll'
}

export interface DecisionRecorder {
  /** Notes a refusal for an administrator to look up. Costs the caller nothing, and never fails. */
  record(refused: RefusedSignIn | RefusedEnrollment): void
  /** Resolves when what was noted before can be read. */
  flush(): Promise<void>
  /** How many were not kept: there were too many at once, or the store refused them. */
  readonly leftOut: number
}

interface DecisionRecorderParts {
  /** Stores decisions; rejects when that fails. */
  readonly save: (decisions: readonly AuthDecisionRow[]) => Promise<void>
  readonly clock: Clock
  readonly log: Logger
}

/** So long refusals are gathered before they are written together. */
const GATHER_MS = 200
const MAX_BATCH = 100
const MAX_WAITING = 1_000
const MAX_ADDRESS_LENGTH = 64
const TOLD_EVERY_MS = 60_000

/** Writes decisions in batches, one explanation after the other: a flood of refusals costs no more than the sample that is kept of it. */
export function createDecisionRecorder({ save, clock, log }: DecisionRecorderParts): DecisionRecorder {
  const sample = createDecisionSample()
  const waiting: ((RefusedSignIn | RefusedEnrollment) & { readonly at: number })[] = []
  let timer: NodeJS.Timeout | undefined
  let draining: Promise<void> | undefined
  let leftOut = 0
  let toldAt = Number.NEGATIVE_INFINITY
  let told = 0

  const rowOf = async (refused: (typeof waiting)[number]): Promise<AuthDecisionRow[]> => {
    const { id, at, method, reason, signerId = null, identityId = null, remoteAddress } = refused
    try {
      const explanation = decisionText(await refused.explain())
      const address = remoteAddress.slice(0, MAX_ADDRESS_LENGTH)
      const row = { id, at, method, reason, signer_id: signerId, identity_id: identityId, remote_address: address }
      return [{ ...row, explanation }]
    } catch (error) {
      leftOut++
      log.warn({ decisionId: id, err: error }, 'a refused sign-in could not be explained')
      return []
    }
  }

  const write = async (decisions: readonly AuthDecisionRow[]): Promise<void> => {
    try {
      await save(decisions)
    } catch (error) {
      leftOut += decisions.length
      log.warn({ err: error, decisions: decisions.length }, 'decisions on refused sign-ins could not be stored')
    }
  }

  const tellLeftOut = (): void => {
    const now = clock.now()
    if (leftOut === told || now - toldAt < TOLD_EVERY_MS) return
    log.warn({ leftOut: leftOut - told }, 'there were more refused sign-ins than decisions are kept of')
    toldAt = now
    told = leftOut
  }

  const drainWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const rows: AuthDecisionRow[] = []
      for (const refused of waiting.splice(0, MAX_BATCH)) {
        rows.push(...(await rowOf(refused)))
        // Whoever calls comes first.
        await new Promise(setImmediate)
      }
      await write(rows)
    }
    tellLeftOut()
  }

  const drain = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    draining ??= drainWaiting().finally(() => {
      draining = undefined
    })
    return draining
  }

  return {
    record: (refused) => {
      const at = clock.now()
      if (waiting.length >= MAX_WAITING || !sample.keeps(refused.remoteAddress, at)) {
        leftOut++
        return
      }
      waiting.push({ ...refused, at })
      timer ??= setTimeout(() => void drain(), GATHER_MS).unref()
    },
    flush: async () => {
      // Twice: a drain under way may have looked for more just before the last one came.
      await drain()
      await drain()
    },
    get leftOut() {
      return leftOut
    },
  }
}
