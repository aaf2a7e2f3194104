import type { AccountRole } from '@countersign/contract'
import { AppError, hostedIdentityId } from '@countersign/core'
import type { ReportedRequest } from '../events/reported-request.ts'
import type { LiveSession, LiveSessions } from '../session/live-sessions.ts'
import type { KnownAccount } from '../store/reads/account-client-reads.ts'
import type { RefusedSignIn } from '../token/decision-recorder.ts'
import type { AccessJudgement } from './judge-access-token.ts'
import type { LocalOrganization } from './local-organization.ts'
import { refusedAccess } from './refused-access.ts'
import { TokenRefused } from './token-refused.ts'

/** Who calls the hosted API: an API account, or an administrator of this controller for the organization that owns it. */
export interface HostedCaller {
  readonly organizationId: string
  readonly role: AccountRole
  /** The caller's id in this API. */
  readonly identityId: string
  readonly account: KnownAccount | undefined
  readonly session: LiveSession | undefined
}

/** What a call of the hosted API needs: to look, or to change. */
export type HostedAccess = 'read' | 'admin'

/** What a session still lacks; login knows more of it. */
interface SecondFactor {
  findMissing(session: LiveSession, untrustedBearers: readonly string[]): readonly unknown[] | Promise<readonly unknown[]>
}

export interface HostedCallerParts {
  readonly judgeAccessToken: (token: string, address: string) => Promise<AccessJudgement>
  readonly sessions: LiveSessions
  readonly secondFactor: SecondFactor
  readonly localOrganization: LocalOrganization
  /** Hears of every token that is refused. */
  readonly signIns: { refused(refused: RefusedSignIn, request: ReportedRequest): void }
}

export interface Presented {
  readonly bearers: readonly string[]
  readonly sessionToken: string
  /** The second factors that are sent along with a session. */
  readonly secondTokens: (sessionId: string) => readonly string[]
  readonly address: string
  readonly requestId: string
  /** The address with the port, asked for only when there is something to tell. */
  readonly remoteAddr: () => string
}

export type FindHostedCaller = (presented: Presented, access: HostedAccess) => Promise<HostedCaller>

/** Finds out who calls. A Bearer is judged alone, whatever else the call brings. */
export function createFindHostedCaller(parts: HostedCallerParts): FindHostedCaller {
  const { judgeAccessToken, sessions, secondFactor, localOrganization, signIns } = parts

  const byToken = async (token: string, { address, requestId: id, remoteAddr }: Presented): Promise<HostedCaller> => {
    const judgement = await judgeAccessToken(token, address)
    if (!judgement.ok) {
      signIns.refused(refusedAccess(judgement, { id, address }), { id, remoteAddr: remoteAddr() })
      throw new TokenRefused(judgement.reason)
    }
    const { account } = judgement
    const { id: identityId, organizationId, role } = account
    return { organizationId, role, identityId, account, session: undefined }
  }

  const bySession = async ({ sessionToken, secondTokens }: Presented): Promise<HostedCaller> => {
    const session = await sessions.find(sessionToken)
    const missing = session && (await secondFactor.findMissing(session, secondTokens(session.id)))
    if (!session || missing?.length !== 0) throw new TokenRefused('session-refused')
    if (!session.identity.isAdmin) throw new AppError('FORBIDDEN')
    const identityId = hostedIdentityId(session.identity.id)
    return { organizationId: await localOrganization(), role: 'admin', identityId, account: undefined, session }
  }

  return async (presented, access) => {
    const { bearers, sessionToken } = presented
    const [bearer] = bearers
    if (bearers.length > 1) throw new TokenRefused('session-refused')
    if (bearer === undefined && sessionToken === '') throw new TokenRefused('nothing')
    const caller = await (bearer === undefined ? bySession(presented) : byToken(bearer, presented))
    if (access === 'admin' && caller.role !== 'admin') throw new AppError('FORBIDDEN')
    return caller
  }
}
