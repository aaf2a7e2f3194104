import type { LoginMethod } from '@countersign/core'
import type { Logger } from 'pino'
import { createDecisionSample } from '../limits/refusal-sample.ts'
import type { Clock } from '../platform/clock.ts'
import type { AuthDecisionRow } from '../store/schema.ts'
import type { DecisionReason } from './decision-reason.ts'
import { decisionText } from './decision-text.ts'
import type { SignInExplanation } from './login-explanation.ts'

/** A refused login. */
export interface RefusedSignIn {
  /** The request id, which the caller was sent too. */
  readonly id: string
  readonly method: LoginMethod | 'totp'
  readonly reason: DecisionReason
  readonly signerId: string | undefined
  readonly identityId: string | undefined
  readonly remoteAddress: string
  /** Called later, and only when the decision is kept. */
  explain(): Promise<SignInExplanation> | SignInExplanation
}

/** A refused enrollment with a provider's token. */
export interface RefusedEnrollment extends Omit<RefusedSignIn, 'method'> {
  readonly method: 'enroll'
}

interface DecisionRecorderParts {
  /** Stores decisions; rejects when that fails. */
  readonly save: (decisions: readonly AuthDecisionRow[]) => Promise<void>
  readonly clock: Clock
  readonly log: Logger
}

type Waiting = (RefusedSignIn | RefusedEnrollment) & { readonly at: number }

/** Refusals are gathered for this time and written together. */
const GATHER_MS = 200
const MAX_BATCH = 100
const MAX_WAITING = 1_000
const MAX_ADDRESS_LENGTH = 64
const WARN_EVERY_MS = 60_000

/** Writes decisions in batches, one explanation after the other: a flood of refusals costs no more than the sample that is kept of it. */
export class DecisionRecorder {
  readonly #parts: DecisionRecorderParts
  readonly #sample = createDecisionSample()
  readonly #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #draining: Promise<void> | undefined
  #leftOut = 0
  #warnedAt = Number.NEGATIVE_INFINITY
  #warnedOf = 0

  constructor(parts: DecisionRecorderParts) {
    this.#parts = parts
  }

  /** How many were not kept: there were too many at once, or the store refused them. */
  get leftOut(): number {
    return this.#leftOut
  }

  /** Notes a refusal for an administrator to look up. Returns at once and never fails. */
  record(refused: RefusedSignIn | RefusedEnrollment): void {
    const at = this.#parts.clock.now()
    if (this.#waiting.length >= MAX_WAITING || !this.#sample.keeps(refused.remoteAddress, at)) {
      this.#leftOut++
      return
    }
    this.#waiting.push({ ...refused, at })
    this.#timer ??= setTimeout(() => void this.#drain(), GATHER_MS).unref()
  }

  /** Resolves when everything recorded before can be read. */
  async flush(): Promise<void> {
    // Twice: a drain under way may have looked for more just before the last one came.
    await this.#drain()
    await this.#drain()
  }

  #drain(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#draining ??= this.#drainWaiting().finally(() => {
      this.#draining = undefined
    })
    return this.#draining
  }

  async #drainWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const rows: AuthDecisionRow[] = []
      for (const refused of this.#waiting.splice(0, MAX_BATCH)) {
        rows.push(...(await this.#explain(refused)))
        // Requests come first.
        await new Promise(setImmediate)
      }
      await this.#write(rows)
    }
    this.#warnOfLeftOut()
  }

  /** The row of a refusal; none when it cannot be explained. */
  async #explain(refused: Waiting): Promise<AuthDecisionRow[]> {
    const { id, at, method, reason, signerId = null, identityId = null, remoteAddress } = refused
    try {
      const explanation = decisionText(await refused.explain())
      const address = remoteAddress.slice(0, MAX_ADDRESS_LENGTH)
      const row = { id, at, method, reason, signer_id: signerId, identity_id: identityId, remote_address: address }
      return [{ ...row, explanation }]
    } catch (error) {
      this.#leftOut++
      this.#parts.log.warn({ decisionId: id, err: error }, 'a refused sign-in could not be explained')
      return []
    }
  }

  async #write(decisions: readonly AuthDecisionRow[]): Promise<void> {
    const { save, log } = this.#parts
    try {
      await save(decisions)
    } catch (error) {
      this.#leftOut += decisions.length
      log.warn({ err: error, decisions: decisions.length }, 'decisions on refused sign-ins could not be stored')
    }
  }

  #warnOfLeftOut(): void {
    const { clock, log } = this.#parts
    const now = clock.now()
    if (this.#leftOut === this.#warnedOf || now - this.#warnedAt < WARN_EVERY_MS) return
    const leftOut = this.#leftOut - this.#warnedOf
    log.warn({ leftOut }, 'there were more refused sign-ins than decisions are kept of')
    this.#warnedAt = now
    this.#warnedOf = this.#leftOut
  }
}
