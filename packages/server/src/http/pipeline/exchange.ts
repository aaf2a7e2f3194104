import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HostedCallers } from '../../hosted/hosted-caller.ts'
import { type Attempt, UNCOUNTED } from '../../limits/attempt-limiter.ts'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import type { HeldTokens } from '../../login/console/held-tokens.ts'
import type { SecondFactor } from '../../login/second-factor.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { LiveSessions } from '../../session/live-sessions.ts'
import type { NoteUse } from '../../session/session-moves.ts'
import type { Admitted } from './call.ts'
import type { Query } from './query.ts'
import type { Answer, Route } from './route.ts'
import type { TimeLimit } from './time-limit.ts'

/** What the steps of the pipeline need beside the request. */
export interface PipelineParts {
  readonly sessions: Pick<LiveSessions, 'find' | 'look'>
  readonly secondFactor: Pick<SecondFactor, 'findMissing'>
  readonly noteUse: NoteUse
  readonly heldTokens: Pick<HeldTokens, 'of'>
  readonly limits: Pick<AttemptLimits, 'address' | 'holdBack'>
  readonly hostedCallers: Pick<HostedCallers, 'find'>
  readonly http: Pick<Settings['http'], 'maxBodyBytes' | 'maxManagementBodyBytes'>
  /** How long finding the caller, and then the handler, may take. */
  readonly withinTime: TimeLimit
  /** Whether the client waits for `100 Continue` before it sends the body. */
  awaitsContinue(request: IncomingMessage): boolean
}

/** One request on its way through the pipeline, and what the steps have found out so far. */
export class Exchange {
  readonly route: Route
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly parts: PipelineParts
  /** Counts against the client's address until it is given back. */
  attempt: Attempt = UNCOUNTED
  caller: Admitted | undefined
  bytes: Buffer | undefined
  query: Query | undefined
  body: unknown
  answer: Answer | undefined

  constructor(route: Route, request: FastifyRequest, reply: FastifyReply, parts: PipelineParts) {
    this.route = route
    this.request = request
    this.reply = reply
    this.parts = parts
  }

  get maxBytes(): number {
    const { maxBodyBytes, maxManagementBodyBytes } = this.parts.http
    return this.route.bodyCap === 'anonymous' ? maxBodyBytes : maxManagementBodyBytes
  }

  get awaitsContinue(): boolean {
    return this.parts.awaitsContinue(this.request.raw)
  }

  /** Whether refusals of this call count against the client's address. */
  get isCounted(): boolean {
    return this.route.rate === 'sign-in'
  }
}
