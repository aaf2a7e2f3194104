import { type AccountRole, type HostedAccess, roleGives } from '@countersign/contract'
import { AppError, hostedIdentityId } from '@countersign/core'
import type { ReportedRequest } from '../events/reported-request.ts'
import { isUnchanged, type LiveSession, type LiveSessions } from '../session/live-sessions.ts'
import type { SignerRevision } from '../store/actor-credential.ts'
import type { RefusedLogin } from '../token/decision-recorder.ts'
import type { RequestProofs, TokenContext } from '../token/request-proofs.ts'
import type { AcceptedTokens } from './accepted-tokens.ts'
import type { AccessTokenVerifier } from './access-token-verifier.ts'
import type { AccessVerdict, RefusedAccess, VerifiedAccount } from './access-verdict.ts'
import type { AccountUses } from './account-uses.ts'
import type { LocalOrganization } from './local-organization.ts'
import { publicRefusalText, refusedAccessToken } from './refused-access-token.ts'
import { TokenRefused } from './token-refused.ts'

/** The caller of the hosted API: an API account, or an administrator of this controller for the organization that owns it. */
export interface HostedCaller {
  readonly organizationId: string
  readonly role: AccountRole
  /** The caller's id in the hosted API. */
  readonly identityId: string
  readonly account: VerifiedAccount | undefined
  readonly session: LiveSession | undefined
  /** The signer of the second token of `session`. */
  readonly secondSigner?: SignerRevision | null
}

interface CheckedFactors {
  readonly missing: readonly unknown[]
  readonly signer: SignerRevision | null
}

/** Finds the second factors that a session lacks, and the signer of its second token; `login` implements it. */
interface SecondFactor {
  check(
    session: LiveSession,
    untrustedBearers: readonly string[],
    request: TokenContext,
  ): CheckedFactors | Promise<CheckedFactors>
}

export interface HostedCallersParts {
  readonly accessTokens: AccessTokenVerifier
  readonly sessions: LiveSessions
  readonly secondFactor: SecondFactor
  readonly localOrganization: LocalOrganization
  /** Notes every use of an API account's token. */
  readonly accountUses: Pick<AccountUses, 'note'>
  /** Receives every refused token. */
  readonly logins: { refused(refused: RefusedLogin, request: ReportedRequest): void }
  readonly acceptedTokens: Pick<AcceptedTokens, 'note'>
}

/** The credentials of a request. Not verified. */
export interface HostedCredentials {
  readonly bearers: readonly string[]
  readonly sessionToken: string
  /** The second factors that the request carries for a session. */
  readonly secondTokens: (sessionId: string) => readonly string[]
  /** What the request proves, for tokens that are bound to a key. */
  readonly proofs: RequestProofs
  /** Throws unless the request proves possession of the key that the session is bound to. */
  readonly checkProof: (session: LiveSession) => Promise<void>
  readonly address: string
  readonly method: string
  readonly requestId: string
  /** The address with the port. Called only to report a refusal. */
  readonly remoteAddr: () => string
}

/** Authenticates callers of the hosted API. With a Bearer token, other credentials are ignored. */
export class HostedCallers {
  readonly #parts: HostedCallersParts

  constructor(parts: HostedCallersParts) {
    this.#parts = parts
  }

  /** Throws TokenRefused when the caller is not authenticated, FORBIDDEN when it lacks the role. */
  async find(credentials: HostedCredentials, access: HostedAccess): Promise<HostedCaller> {
    const { bearers, sessionToken } = credentials
    const [bearer] = bearers
    if (bearers.length > 1) throw new TokenRefused('session-refused')
    if (bearer === undefined && sessionToken === '') throw new TokenRefused('no-credential')
    const caller = await (bearer === undefined
      ? this.#findBySession(credentials)
      : this.#findByToken(bearer, credentials))
    if (!(await this.#mayCall(caller, access))) throw new AppError('FORBIDDEN')
    return caller
  }

  async #mayCall(caller: HostedCaller, access: HostedAccess): Promise<boolean> {
    return access === 'operator' ? this.#parts.localOrganization.isOperator(caller) : roleGives(caller.role, access)
  }

  async #findByToken(token: string, credentials: HostedCredentials): Promise<HostedCaller> {
    const { address, proofs, requestId: id, remoteAddr } = credentials
    const { accessTokens, logins, acceptedTokens, accountUses } = this.#parts
    const verified = await accessTokens.verify(token, { address, proofs })
    const isReplayed = verified.ok && !(await proofs.use(verified.account.proofUse, verified.account.id))
    const verdict: AccessVerdict = isReplayed
      ? { ok: false, reason: 'proof-replayed', account: verified.account }
      : verified
    if (!verdict.ok) {
      logins.refused(refusedAccessToken(verdict, { id, address }), { id, remoteAddr: remoteAddr() })
      throw new TokenRefused(verdict.reason, detailOf(verdict))
    }
    const { account } = verdict
    const { id: identityId, organizationId, role } = account
    acceptedTokens.note(account, { id, address })
    accountUses.note(identityId, address)
    return { organizationId, role, identityId, account, session: undefined }
  }

  async #findBySession(credentials: HostedCredentials): Promise<HostedCaller> {
    const { sessionToken, secondTokens, proofs, checkProof, method, address } = credentials
    const { sessions, secondFactor, localOrganization } = this.#parts
    const session = await sessions.peek(sessionToken)
    if (session) await checkProof(session)
    const request = { method, address, proofs }
    const factors = session && (await secondFactor.check(sessions.noteUse(session), secondTokens(session.id), request))
    if (!session || factors?.missing.length !== 0) throw new TokenRefused('session-refused')
    // The rule of its policy may have waited for its turn.
    if (!isUnchanged(session, await sessions.peek(sessionToken))) return this.#findBySession(credentials)
    if (factors.signer) sessions.noteSecondToken(session)
    if (!session.identity.isAdmin) throw new AppError('FORBIDDEN')
    const identityId = hostedIdentityId(session.identity.id)
    const organizationId = await localOrganization.id()
    return { organizationId, role: 'admin', identityId, account: undefined, session, secondSigner: factors.signer }
  }
}

/** What the response says about a refusal beside its status. Why an organization is suspended is only for tokens that act as its accounts. */
function detailOf(refused: RefusedAccess): string | null {
  if (refused.reason === 'organization-suspended') return refused.account?.suspension?.reason ?? null
  return publicRefusalText(refused) ?? null
}
