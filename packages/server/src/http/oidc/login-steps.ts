import { AppError } from '@countersign/core'
import type { CheckedFactors, SecondFactor } from '../../login/second-factor.ts'
import type { Oidc } from '../../oidc/create-oidc.ts'
import type { LoginOutcome } from '../../oidc/oidc-logins.ts'
import type { OpenSession } from '../../operations/api-session/start-session.ts'
import { passSecondToken } from '../../operations/oidc/pass-second-token.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LiveSession, LiveSessions } from '../../session/live-sessions.ts'
import type { OidcLoginDetails, StoredOidcLogin } from '../../store/oidc-login.ts'
import { isTokenAccepted } from '../../store/reads/actor-reads.ts'
import type { Store } from '../../store/store.ts'
import type { NewOidcLogin } from '../../store/writes/oidc-login-writes.ts'
import type { TokenContext } from '../../token/request-proofs.ts'

export interface LoginStepsParts {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly oidc: Pick<Oidc, 'logins' | 'loginWrites'>
  readonly sessions: Pick<LiveSessions, 'readOidc'>
  readonly secondFactor: Pick<SecondFactor, 'check'>
}

/** Where a login stands: the identity that has logged in, and what it still lacks. */
export interface LoginStep extends CheckedFactors {
  readonly session: LiveSession
}

/** The tokens of a request of a login. */
interface GivenTokens {
  readonly bearers: readonly string[]
  readonly request: TokenContext
}

/** The steps of a login. A token that was given as second factor during the login is not asked for again in it, unless it is refused now for more than its age. */
export class LoginSteps {
  readonly #parts: LoginStepsParts

  constructor(parts: LoginStepsParts) {
    this.#parts = parts
  }

  /** Undefined before an identity has logged in, and when its session has ended since. */
  async find({ session: recorded }: StoredOidcLogin, request: TokenContext): Promise<LoginStep | undefined> {
    const session = recorded && (await this.#parts.sessions.readOidc(recorded.id))
    return session && this.#stepOf(session, recorded.details, { bearers: [], request })
  }

  /** Opens the session of the identity that logs in, with the second factor that its request contains. Fails with UNAUTHORIZED when the login has expired. */
  opening(
    login: NewOidcLogin,
    given: GivenTokens & { readonly csrPem: string | undefined },
  ): { readonly open: OpenSession; step(): Promise<LoginStep> } {
    const { oidc, secondFactor } = this.#parts
    let outcome: LoginOutcome | undefined
    const open: OpenSession = async (options, authenticated) => {
      const { identity, policy, login: method, token } = authenticated
      const {
        signerId = null,
        acr = null,
        amr: tokenAmr = null,
        authenticatedAt = null,
        ruleClaims = null,
      } = token ?? {}
      const basis = { signerId, acr, amr: tokenAmr, authenticatedAt, ruleClaims }
      const candidate = { identity, policy, login: method, ...basis, passedTotpId: null, passedPasskeyId: null }
      const { missing, signer } = await secondFactor.check(candidate, given.bearers, given.request)
      const secondSigner = signer ?? undefined
      const facts = { amr: [method.method], secondSigner, csrPem: given.csrPem, isComplete: missing.length === 0 }
      outcome = await oidc.logins.authenticate(login, options, authenticated, facts)
      if (!outcome) throw new AppError('UNAUTHORIZED')
      return { token: '', session: outcome.session }
    }
    const step = async (): Promise<LoginStep> => {
      if (!outcome) throw new TypeError('no session was opened')
      return this.#stepOf(outcome.session, outcome.details, given)
    }
    return { open, step }
  }

  /** Takes a token as the second factor of a login. Returns the step after it, with the challenge if the token is not the right one. */
  async passToken(login: StoredOidcLogin, step: LoginStep, { bearers, request }: GivenTokens): Promise<LoginStep> {
    const { session } = step
    const checked = await this.#parts.secondFactor.check(session, bearers, request)
    if (checked.signer) {
      const args = { loginId: login.id, sessionId: session.id, secondSigner: checked.signer }
      await this.#parts.oidc.loginWrites.run(passSecondToken, args, { actorId: session.identity.id })
    }
    return { session, ...checked }
  }

  async #stepOf(
    session: LiveSession,
    { secondSigner }: Pick<OidcLoginDetails, 'secondSigner'>,
    { bearers, request }: GivenTokens,
  ): Promise<LoginStep> {
    return { session, ...(await checkInLogin(this.#parts, { session, secondSigner, bearers, request })) }
  }
}

interface GivenInLogin extends GivenTokens, Pick<OidcLoginDetails, 'secondSigner'> {
  readonly session: LiveSession
}

/** What a login still lacks. A second token that was given in it is judged again, except for its age. */
export async function checkInLogin(
  { store, secondFactor }: Pick<LoginStepsParts, 'store' | 'secondFactor'>,
  { session, secondSigner, bearers, request }: GivenInLogin,
): Promise<CheckedFactors> {
  const checked = await secondFactor.check(session, bearers, request)
  const { identity, policy } = session
  if (checked.signer || !secondSigner || secondSigner.id !== policy.secondary.requireExtJwtSigner) return checked
  if (!(await isTokenAccepted(store.db, secondSigner, identity))) return checked
  return { missing: checked.missing.filter(({ kind }) => kind !== 'ext-jwt'), signer: secondSigner }
}
