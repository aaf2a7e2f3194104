import { type LoginMethodName, TokenBuckets } from '@countersign/core'
import type { Logger } from 'pino'
import { createRefusalSampler } from '../limits/refusal-sampler.ts'
import type { Clock } from '../platform/clock.ts'
import type { AuthDecisionRow } from '../store/schema.ts'
import type { DecisionReason } from './decision-reason.ts'
import { cut, decisionText } from './decision-text.ts'
import type { LoginExplanation } from './login-explanation.ts'

/** A refused login. */
export interface RefusedLogin {
  /** The request id, which is also in the response. */
  readonly id: string
  readonly method: LoginMethodName | 'totp'
  readonly reason: DecisionReason
  readonly signerId: string | undefined
  readonly signerName?: string | undefined
  readonly identityId: string | undefined
  /** The third-party CA of a refused certificate. */
  readonly caId?: string | undefined
  readonly remoteAddress: string
  /** The organization whose API account the token names. */
  readonly organizationId?: string | undefined
  /** Called later, and only when the decision is stored. */
  explain(): Promise<LoginExplanation> | LoginExplanation
}

/** A refused enrollment with a provider's token. */
export interface RefusedEnrollment extends Omit<RefusedLogin, 'method'> {
  readonly method: 'enroll'
}

/** The channels by which identity providers send tokens that are not for logging in. */
export type ChannelName = 'backchannel-logout' | 'shared-signals' | 'scim'

/** A refused logout token or security event token. */
export interface RefusedChannelToken extends Omit<RefusedLogin, 'method'> {
  readonly method: ChannelName
}

/** An accepted token of an API account, which its organization can see. */
export interface AcceptedAccessToken extends Omit<RefusedLogin, 'reason'> {
  readonly reason: 'accepted'
  readonly organizationId: string
}

interface DecisionRecorderParts {
  /** Stores decisions, and those of them that the audit record has. Rejects when that fails. */
  readonly save: (decisions: readonly AuthDecisionRow[], recorded: RecordedPart) => Promise<void>
  readonly clock: Clock
  readonly log: Logger
}

/** What the audit record has of decisions, and how many were left out since the last note of it. */
export interface RecordedPart {
  readonly recorded: readonly AuthDecisionRow[]
  readonly dropped: number
}

type Decided = RefusedLogin | RefusedEnrollment | RefusedChannelToken | AcceptedAccessToken
type Waiting = Decided & { readonly at: number }

/** Refusals are collected for this time and written in one batch. */
const BATCH_MS = 200
const MAX_BATCH = 100
const MAX_WAITING = 1_000
const MAX_ADDRESS_LENGTH = 64
/** No longer claim can name an identity. */
const MAX_NAME_LENGTH = 512
const WARN_EVERY_MS = 60_000
/** The audit record keeps its entries for a year, and strangers must not fill the disk with them: 1,000 refusals an hour, after a burst. */
const RECORDED = { burst: 10_000, perSecond: 1_000 / 3_600 }
/** During a flood, the record says this often how many were left out. */
const NOTE_EVERY_MS = 60_000
/** Notes beyond these that readers of the record ask for: callers that only read it must not fill it. */
const ASKED_NOTES = { burst: 60, perSecond: 1 / 60 }

/** Stores refusals as decisions, in batches, one explanation at a time. During a flood only a bounded sample is explained and stored. */
export class DecisionRecorder {
  readonly #parts: DecisionRecorderParts
  readonly #sample = createRefusalSampler()
  readonly #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #draining: Promise<void> | undefined
  #leftOut = 0
  readonly #recordBucket = new TokenBuckets(RECORDED, 1)
  readonly #askedNotes = new TokenBuckets(ASKED_NOTES, 1)
  /** Decisions that were stored, and are not in the audit record. */
  #unrecorded = 0
  /** How many of both the audit record knows of, and since when. */
  #noted = 0
  #notedAt = Number.NEGATIVE_INFINITY
  #noteTimer: NodeJS.Timeout | undefined
  #warnedAt = Number.NEGATIVE_INFINITY
  #warnedCount = 0

  constructor(parts: DecisionRecorderParts) {
    this.#parts = parts
  }

  /** Number of refusals that were not stored: too many at once, or the store failed. */
  get leftOut(): number {
    return this.#leftOut
  }

  /** Queues a refusal to be stored. Returns at once whether it did, and never throws. */
  record(refused: Decided): boolean {
    const at = this.#parts.clock.now()
    if (this.#waiting.length >= MAX_WAITING || !this.#sample.keeps(refused.remoteAddress, at)) {
      this.#leftOut++
      this.#drainSoon()
      return false
    }
    this.#waiting.push({ ...refused, at })
    this.#drainSoon()
    return true
  }

  #drainSoon(): void {
    this.#timer ??= setTimeout(() => void this.#drain(), BATCH_MS).unref()
  }

  /** Like `flush`, and the audit record says at once how many it does not have; unless `isLast`, within a minute when that was asked for too often. */
  async settle({ isLast = false } = {}): Promise<void> {
    await this.flush()
    if (this.#missing === this.#noted) return
    if (!isLast && this.#askedNotes.take('note', this.#parts.clock.now()) > 0) return
    this.#notedAt = Number.NEGATIVE_INFINITY
    await this.flush()
  }

  /** Resolves when all refusals recorded before are stored. */
  async flush(): Promise<void> {
    // Twice: a running drain may have checked the queue just before the last refusal was added.
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
        // Let requests run in between.
        await new Promise(setImmediate)
      }
      await this.#write(rows)
    }
    if (this.#isNoteDue) await this.#write([])
    if (this.#missing > this.#noted) this.#noteTimer ??= setTimeout(() => this.#noteLater(), NOTE_EVERY_MS).unref()
    this.#warnAboutLeftOut()
  }

  get #missing(): number {
    return this.#leftOut + this.#unrecorded
  }

  get #isNoteDue(): boolean {
    return this.#missing > this.#noted && this.#parts.clock.now() - this.#notedAt >= NOTE_EVERY_MS
  }

  #noteLater(): void {
    this.#noteTimer = undefined
    void this.#drain()
  }

  /** Returns the row of a refusal; empty when it cannot be explained. */
  async #explain(refused: Waiting): Promise<AuthDecisionRow[]> {
    const { id, at, method, reason, signerId = null, identityId = null, remoteAddress, organizationId = null } = refused
    try {
      const explanation = await refused.explain()
      const { claimedIdentity, identity } = explanation
      const address = remoteAddress.slice(0, MAX_ADDRESS_LENGTH)
      const row = { id, at, method, reason, signer_id: signerId, identity_id: identityId, remote_address: address }
      const names = {
        claimed_identity: storedName(claimedIdentity),
        identity_name: identityId === identity?.id ? storedName(identity?.name) : null,
        signer_name: storedName(refused.signerName),
      }
      return [{ ...row, ...names, explanation: decisionText(explanation), organization_id: organizationId }]
    } catch (error) {
      this.#leftOut++
      this.#parts.log.warn({ decisionId: id, err: error }, 'a refused login could not be explained')
      return []
    }
  }

  async #write(decisions: readonly AuthDecisionRow[]): Promise<void> {
    const { save, clock, log } = this.#parts
    const recorded = decisions.filter(({ at }) => this.#recordBucket.take('record', at) === 0)
    const isNoted = this.#isNoteDue
    const missing = this.#missing
    try {
      await save(decisions, { recorded, dropped: isNoted ? missing - this.#noted : 0 })
      this.#unrecorded += decisions.length - recorded.length
      if (isNoted) {
        this.#noted = missing
        this.#notedAt = clock.now()
      }
    } catch (error) {
      this.#leftOut += decisions.length
      log.warn({ err: error, decisions: decisions.length }, 'decisions about refused logins could not be stored')
    }
  }

  #warnAboutLeftOut(): void {
    const { clock, log } = this.#parts
    const now = clock.now()
    if (this.#leftOut === this.#warnedCount || now - this.#warnedAt < WARN_EVERY_MS) return
    const leftOut = this.#leftOut - this.#warnedCount
    log.warn({ leftOut }, 'some refused logins were not stored as decisions: there were too many, or storing failed')
    this.#warnedAt = now
    this.#warnedCount = this.#leftOut
  }
}

/** Strangers choose the name: PostgreSQL stores no NUL, and would refuse the decisions of others with it. */
function storedName(name: string | null | undefined): string | null {
  return name === null || name === undefined ? null : cut(name.replaceAll(/\p{Cc}/gu, '\uFFFD'), MAX_NAME_LENGTH)
}
