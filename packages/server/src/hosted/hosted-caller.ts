import type { AccountRole } from '@countersign/contract'
import { AppError, hostedIdentityId } from '@countersign/core'
import type { ReportedRequest } from '../events/reported-request.ts'
import type { LiveSession, LiveSessions } from '../session/live-sessions.ts'
import type { KnownAccount } from '../store/reads/account-client-reads.ts'
import type { RefusedSignIn } from '../token/decision-recorder.ts'
import type { AccessTokenVerifier } from './access-token-verifier.ts'
import type { LocalOrganization } from './local-organization.ts'
import { refusedAccess } from './refused-access.ts'
import { TokenRefused } from './token-refused.ts'

/** The caller of the hosted API: an API account, or an administrator of this controller for the organization that owns it. */
export interface HostedCaller {
  readonly organizationId: string
  readonly role: AccountRole
  /** The caller's id in this API. */
  readonly identityId: string
  readonly account: KnownAccount | undefined
  readonly session: LiveSession | undefined
}

/** The role that a call of the hosted API needs. */
export type HostedAccess = 'read' | 'admin'

/** Finds the second factors that a session lacks; `login` implements it. */
interface SecondFactor {
  findMissing(
    session: LiveSession,
    untrustedBearers: readonly string[],
  ): readonly unknown[] | Promise<readonly unknown[]>
}

export interface HostedCallersParts {
  readonly accessTokens: AccessTokenVerifier
  readonly sessions: LiveSessions
  readonly secondFactor: SecondFactor
  readonly localOrganization: LocalOrganization
  /** Every refused token is reported here. */
  readonly logins: { refused(refused: RefusedSignIn, request: ReportedRequest): void }
}

/** The credentials of a request. */
export interface Presented {
  readonly bearers: readonly string[]
  readonly sessionToken: string
  /** The second factors that come with a session. */
  readonly secondTokens: (sessionId: string) => readonly string[]
  readonly address: string
  readonly requestId: string
  /** The address with the port; called only for a report. */
  readonly remoteAddr: () => string
}

/** Authenticates callers of the hosted API. A Bearer token decides alone, whatever else the request carries. */
export class HostedCallers {
  readonly #parts: HostedCallersParts

  constructor(parts: HostedCallersParts) {
    this.#parts = parts
  }

  /** Throws TokenRefused for a caller that is not authenticated, FORBIDDEN for one without the role. */
  async find(presented: Presented, access: HostedAccess): Promise<HostedCaller> {
    const { bearers, sessionToken } = presented
    const [bearer] = bearers
    if (bearers.length > 1) throw new TokenRefused('session-refused')
    if (bearer === undefined && sessionToken === '') throw new TokenRefused('nothing')
    const caller = await (bearer === undefined ? this.#findBySession(presented) : this.#findByToken(bearer, presented))
    if (access === 'admin' && caller.role !== 'admin') throw new AppError('FORBIDDEN')
    return caller
  }

  async #findByToken(token: string, { address, requestId: id, remoteAddr }: Presented): Promise<HostedCaller> {
    const { accessTokens, logins } = this.#parts
    const verdict = await accessTokens.verify(token, address)
    if (!verdict.ok) {
      logins.refused(refusedAccess(verdict, { id, address }), { id, remoteAddr: remoteAddr() })
      throw new TokenRefused(verdict.reason)
    }
    const { account } = verdict
    const { id: identityId, organizationId, role } = account
    return { organizationId, role, identityId, account, session: undefined }
  }

  async #findBySession({ sessionToken, secondTokens }: Presented): Promise<HostedCaller> {
    const { sessions, secondFactor, localOrganization } = this.#parts
    const session = await sessions.find(sessionToken)
    const missing = session && (await secondFactor.findMissing(session, secondTokens(session.id)))
    if (!session || missing?.length !== 0) throw new TokenRefused('session-refused')
    if (!session.identity.isAdmin) throw new AppError('FORBIDDEN')
    const identityId = hostedIdentityId(session.identity.id)
    return { organizationId: await localOrganization.id(), role: 'admin', identityId, account: undefined, session }
  }
}
