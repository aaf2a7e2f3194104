import { AppError } from '@countersign/core'
import type { MissingFactor, SecondFactor } from '../../login/second-factor.ts'
import type { Oidc } from '../../oidc/create-oidc.ts'
import type { OpenSession } from '../../operations/api-session/start-session.ts'
import { passSecondToken } from '../../operations/oidc/pass-second-token.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LiveSession, LiveSessions } from '../../session/live-sessions.ts'
import type { StoredOidcLogin } from '../../store/oidc-login.ts'
import type { NewOidcLogin } from '../../store/writes/oidc-login-writes.ts'
import type { TokenContext } from '../../token/request-proofs.ts'

export interface LoginStepsParts {
  readonly clock: Clock
  readonly oidc: Pick<Oidc, 'logins' | 'loginWrites'>
  readonly sessions: Pick<LiveSessions, 'readOidc'>
  readonly secondFactor: Pick<SecondFactor, 'findMissing'>
}

/** Where a login stands: the identity that has logged in, and what it still lacks. */
export interface LoginStep {
  readonly session: LiveSession
  readonly missing: readonly MissingFactor[]
}

/** In `amr`: a token of this signer was the second factor. */
const secondTokenMethod = (signerId: string): string => `ejs:${signerId}`

/** The tokens of a request of a login. */
interface GivenTokens {
  readonly bearers: readonly string[]
  readonly request: TokenContext
}

/** The steps of a login. A token that was given as second factor during the login is not asked for again in it. */
export class LoginSteps {
  readonly #parts: LoginStepsParts

  constructor(parts: LoginStepsParts) {
    this.#parts = parts
  }

  /** Undefined before an identity has logged in, and when its session has ended since. */
  async find({ session: recorded }: StoredOidcLogin, request: TokenContext): Promise<LoginStep | undefined> {
    const session = recorded && (await this.#parts.sessions.readOidc(recorded.id))
    return session && this.#stepOf(session, recorded.details.amr, { bearers: [], request })
  }

  /** Opens the session of the identity that logs in, with the second factor that its request contains. Fails with UNAUTHORIZED when the login has expired. */
  opening(
    login: NewOidcLogin,
    given: GivenTokens & { readonly csrPem: string | undefined },
  ): { readonly open: OpenSession; step(): Promise<LoginStep> } {
    const { oidc, secondFactor } = this.#parts
    let amr: readonly string[] = []
    let opened: LiveSession | undefined
    const open: OpenSession = async (options, authenticated) => {
      const { identity, policy, login: method, token } = authenticated
      const required = policy.secondary.requireExtJwtSigner
      const {
        signerId = null,
        acr = null,
        amr: tokenAmr = null,
        authenticatedAt = null,
        ruleClaims = null,
      } = token ?? {}
      const basis = { signerId, acr, amr: tokenAmr, authenticatedAt, ruleClaims }
      const candidate = { identity, policy, login: method, ...basis, passedTotpId: null, passedPasskeyId: null }
      const missing = await secondFactor.findMissing(candidate, given.bearers, given.request)
      const isGiven = required !== null && missing.every(({ kind }) => kind !== 'ext-jwt')
      const passed = [method.method, ...(isGiven ? [secondTokenMethod(required)] : [])]
      const facts = { amr: passed, csrPem: given.csrPem, isComplete: missing.length === 0 }
      const outcome = await oidc.logins.authenticate(login, options, authenticated, facts)
      if (!outcome) throw new AppError('UNAUTHORIZED')
      amr = outcome.amr
      opened = outcome.session
      return { token: '', session: outcome.session }
    }
    const step = async (): Promise<LoginStep> => {
      if (!opened) throw new TypeError('no session was opened')
      return this.#stepOf(opened, amr, given)
    }
    return { open, step }
  }

  /** Takes a token as the second factor of a login. Returns the step after it, with the challenge if the token is not the right one. */
  async passToken(login: StoredOidcLogin, step: LoginStep, { bearers, request }: GivenTokens): Promise<LoginStep> {
    const { session } = step
    const { secondary } = session.policy
    const missing = await this.#parts.secondFactor.findMissing(session, bearers, request)
    const isMissing = missing.some(({ kind }) => kind === 'ext-jwt')
    if (secondary.requireExtJwtSigner === null || isMissing) return { session, missing }
    const method = secondTokenMethod(secondary.requireExtJwtSigner)
    const args = { loginId: login.id, sessionId: session.id, method }
    await this.#parts.oidc.loginWrites.run(passSecondToken, args, { actorId: session.identity.id })
    return { session, missing }
  }

  async #stepOf(session: LiveSession, amr: readonly string[], given: GivenTokens): Promise<LoginStep> {
    return { session, missing: await findMissingInLogin(this.#parts.secondFactor, { session, amr, ...given }) }
  }
}

/** What a login with these methods still lacks. */
export async function findMissingInLogin(
  secondFactor: Pick<SecondFactor, 'findMissing'>,
  { session, amr, bearers, request }: GivenTokens & { readonly session: LiveSession; readonly amr: readonly string[] },
): Promise<readonly MissingFactor[]> {
  const { requireExtJwtSigner } = session.policy.secondary
  const isTokenGiven = requireExtJwtSigner !== null && amr.includes(secondTokenMethod(requireExtJwtSigner))
  const missing = await secondFactor.findMissing(session, bearers, request)
  return isTokenGiven ? missing.filter(({ kind }) => kind !== 'ext-jwt') : missing
}
