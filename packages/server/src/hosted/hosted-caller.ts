import type { AccountRole } from '@countersign/contract'
import { AppError, derivedUuid } from '@countersign/core'
import type { LiveSession, LiveSessions } from '../api-session/live-sessions.ts'
import type { SecondFactor } from '../sign-in/second-factor.ts'
import type { AccessJudgement } from './judge-access-token.ts'
import type { KnownAccount } from './known-accounts.ts'
import type { LocalOrganization } from './local-organization.ts'
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

export interface HostedCallerParts {
  readonly judgeAccessToken: (token: string, address: string) => Promise<AccessJudgement>
  readonly sessions: LiveSessions
  readonly secondFactor: SecondFactor
  readonly localOrganization: LocalOrganization
}

export interface Presented {
  readonly bearers: readonly string[]
  readonly sessionToken: string
  readonly address: string
}

export type FindHostedCaller = (presented: Presented, access: HostedAccess) => Promise<HostedCaller>

/** Finds out who calls. A Bearer is judged alone, whatever else the call brings. */
export function createFindHostedCaller(parts: HostedCallerParts): FindHostedCaller {
  const { judgeAccessToken, sessions, secondFactor, localOrganization } = parts

  const byToken = async (token: string, address: string): Promise<HostedCaller> => {
    const judgement = await judgeAccessToken(token, address)
    if (!judgement.ok) throw new TokenRefused(judgement)
    const { account } = judgement
    const { id: identityId, organizationId, role } = account
    return { organizationId, role, identityId, account, session: undefined }
  }

  const bySession = async (sessionToken: string): Promise<HostedCaller> => {
    const session = await sessions.find(sessionToken)
    if (!session || (await secondFactor.findMissing(session, [])).length > 0) throw new TokenRefused(undefined)
    if (!session.identity.isAdmin) throw new AppError('FORBIDDEN')
    const identityId = derivedUuid('identity', session.identity.id)
    return { organizationId: await localOrganization(), role: 'admin', identityId, account: undefined, session }
  }

  return async ({ bearers, sessionToken, address }, access) => {
    const [bearer] = bearers
    if (bearers.length > 1) throw new TokenRefused(undefined)
    if (bearer === undefined && sessionToken === '') throw new TokenRefused('nothing')
    const caller = await (bearer === undefined ? bySession(sessionToken) : byToken(bearer, address))
    if (access === 'admin' && caller.role !== 'admin') throw new AppError('FORBIDDEN')
    return caller
  }
}
