import { newSecret } from '@countersign/core'
import type { LiveSessions } from '../../session/live-sessions.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { SignerDirectory } from '../../token/signer-directory.ts'
import type { SecondFactor } from '../second-factor.ts'
import type { HeldPiece, HeldTokens } from './held-tokens.ts'
import type { LoginFlow, LoginFlows } from './login-flows.ts'
import { LoginProblem } from './login-problem.ts'
import { authorizationUrl, type LoginProvider, type LoginProviders } from './login-provider.ts'

export interface ConsoleLoginParts {
  readonly signers: Pick<SignerDirectory, 'enabled'>
  readonly sessions: Pick<LiveSessions, 'look'>
  readonly secondFactor: SecondFactor
  readonly heldTokens: Pick<HeldTokens, 'hold'>
  readonly loginFlows: LoginFlows
  readonly loginProviders: LoginProviders
}

interface NewFlow {
  readonly redirectUri: string
  /** The page of the console that is shown after the login. */
  readonly next: string
  /** The browser's present session, if it has one. */
  readonly sessionToken: string | undefined
}

/** The parameters with which the identity provider sends the browser back. */
interface ProviderAnswer {
  readonly iss: string | undefined
  readonly error: string | undefined
  readonly code: string | undefined
}

/** Login to the console at an identity provider: authorization code flow with PKCE. Every failure is a LoginProblem. */
export class ConsoleLogin {
  readonly #parts: ConsoleLoginParts

  constructor(parts: ConsoleLoginParts) {
    this.#parts = parts
  }

  async getSigner(id: string): Promise<StoredSigner> {
    const signer = (await this.#parts.signers.enabled()).findById(id)
    if (!signer) throw new LoginProblem('signer', 'no enabled signer has this id')
    return signer.stored
  }

  /** Returns the URL to send the browser to, and the value of the cookie that binds the flow to the browser. */
  async begin(
    signer: StoredSigner,
    { redirectUri, next, sessionToken }: NewFlow,
  ): Promise<{ url: string; cookie: string }> {
    const provider = await this.#parts.loginProviders.find(signer)
    const flow: LoginFlow = {
      signerId: signer.id,
      revision: signer.revision,
      nonce: newSecret(),
      verifier: newSecret(),
      redirectUri,
      next,
      sessionToken: (await this.#requiresTokenOf(signer.id, sessionToken)) ? sessionToken : undefined,
    }
    const { state, cookie } = this.#parts.loginFlows.begin(flow)
    return { url: authorizationUrl(provider, { ...flow, state, scopes: signer.scopes ?? [] }), cookie }
  }

  /** The flow that this browser began. */
  take(state: string, cookie: string | undefined): LoginFlow {
    const flow = this.#parts.loginFlows.take(state, cookie)
    if (!flow) throw new LoginProblem('expired', 'no sign-in of this browser has this state')
    return flow
  }

  /** Exchanges the provider's code for a token of the flow's signer. */
  async redeem(flow: LoginFlow, answer: ProviderAnswer): Promise<string> {
    const signer = await this.getSigner(flow.signerId)
    if (signer.revision !== flow.revision) throw new LoginProblem('expired', 'the signer was changed meanwhile')
    const provider = await this.#parts.loginProviders.find(signer)
    const code = readCode(answer, provider)
    return this.#parts.loginProviders.redeem(signer, provider, { ...flow, code })
  }

  /** Returns the cookies that hold the token as the second factor of the session. */
  async hold(sessionToken: string, token: string): Promise<readonly HeldPiece[]> {
    const session = await this.#parts.sessions.look(sessionToken)
    if (!session) throw new LoginProblem('expired', 'the session has ended meanwhile')
    const missing = await this.#parts.secondFactor.findMissing(session, [token])
    if (missing.some(({ kind }) => kind === 'ext-jwt')) {
      throw new LoginProblem('refused', 'the token is not one that this session lacks')
    }
    const held = this.#parts.heldTokens.hold(session.id, token)
    if (held === undefined) throw new LoginProblem('provider', 'the token is too long for cookies')
    return held
  }

  /** Whether the session's policy requires a token of this signer as second factor. */
  async #requiresTokenOf(signerId: string, sessionToken: string | undefined): Promise<boolean> {
    const session = sessionToken === undefined ? undefined : await this.#parts.sessions.look(sessionToken)
    return session?.policy.secondary.requireExtJwtSigner === signerId
  }
}

/** The code of the answer. Fails when the answer is of another issuer (RFC 9207) or is an error. */
function readCode({ iss, error, code }: ProviderAnswer, { issuer, namesItself }: LoginProvider): string {
  if (iss === undefined ? namesItself : iss !== issuer) {
    throw new LoginProblem('provider', 'the answer is of another issuer than the one that was asked')
  }
  if (error !== undefined) {
    const isDenied = error === 'access_denied'
    throw new LoginProblem(isDenied ? 'denied' : 'provider', 'the provider answered with an error')
  }
  if (!code) throw new LoginProblem('provider', 'the answer holds no code')
  return code
}
