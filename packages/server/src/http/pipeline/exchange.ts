import type { IncomingMessage } from 'node:http'
import type { NearMiss } from '@countersign/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HostedCallers } from '../../hosted/hosted-caller.ts'
import { type Attempt, UNCOUNTED } from '../../limits/attempt-limiter.ts'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import type { ScimCallers } from '../../login/channels/scim-callers.ts'
import type { HeldTokens } from '../../login/console/held-tokens.ts'
import type { SecondFactor } from '../../login/second-factor.ts'
import type { BearerSessions } from '../../oidc/bearer-sessions.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { NoteSessionUse } from '../../session/client-change-detector.ts'
import type { LiveSessions } from '../../session/live-sessions.ts'
import type { Caller } from './call.ts'
import type { Query } from './query.ts'
import type { ProofsOfRequest, ProofsOfRequests } from './request-proofs.ts'
import type { Route, RouteResponse } from './route.ts'
import type { TimeLimit } from './time-limit.ts'

/** What the steps of the pipeline need beside the request. */
export interface PipelineParts {
  readonly sessions: Pick<LiveSessions, 'peek' | 'noteUse' | 'noteSecondToken'>
  /** Undefined without the OpenID provider. */
  readonly bearerSessions: Pick<BearerSessions, 'find'> | undefined
  readonly secondFactor: Pick<SecondFactor, 'check'>
  readonly noteSessionUse: NoteSessionUse
  readonly heldTokens: Pick<HeldTokens, 'of'>
  readonly proofs: Pick<ProofsOfRequests, 'of' | 'nonce'>
  readonly limits: Pick<
    AttemptLimits,
    'handshake' | 'address' | 'query' | 'change' | 'ownChange' | 'ownChangeTurns' | 'delayRefusal'
  >
  readonly hostedCallers: Pick<HostedCallers, 'find'>
  readonly scimCallers: Pick<ScimCallers, 'find'>
  readonly http: Pick<Settings['http'], 'maxBodyBytes' | 'maxManagementBodyBytes'>
  /** Limits the time for finding the caller, and for the handler. */
  readonly withinTime: TimeLimit
  /** Called first for every request, and before its caller is authorized again. */
  readonly beforeRequest?: (() => void) | undefined
  /** Whether the client waits for `100 Continue` before it sends the body. */
  awaitsContinue(request: IncomingMessage): boolean
}

/** The state of one request in the pipeline: each step adds its result. */
export class Exchange {
  readonly route: Route
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly parts: PipelineParts
  attempt: Attempt = UNCOUNTED
  caller: Caller | undefined
  /** When the state was read by which the caller is authorized. */
  authorizedAt = 0
  bytes: Buffer | undefined
  query: Query | undefined
  body: unknown
  nearMisses: readonly NearMiss[] = []
  response: RouteResponse | undefined

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

  /** What the request proves about the keys of its client. */
  get proofs(): ProofsOfRequest {
    return this.parts.proofs.of(this.request)
  }

  get awaitsContinue(): boolean {
    return this.parts.awaitsContinue(this.request.raw)
  }

  /** Whether refusals count against the client's address. */
  get isCounted(): boolean {
    return this.route.rate === 'attempt'
  }
}
