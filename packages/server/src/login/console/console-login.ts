import { newSecret } from '@countersign/core'
import type { LiveSessions } from '../../session/live-sessions.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { TokenContext } from '../../token/request-proofs.ts'
import type { SignerDirectory } from '../../token/signer-directory.ts'
import type { SecondFactor } from '../second-factor.ts'
import { ConsoleLoginError } from './console-login-error.ts'
import type { HeldPiece, HeldTokens } from './held-tokens.ts'
import type { LoginFlow, LoginFlows } from './login-flows.ts'
import { authorizationUrl, type LoginProvider, type LoginProviders } from './login-provider.ts'

export interface ConsoleLoginParts {
  readonly signers: Pick<SignerDirectory, 'enabled'>
  readonly sessions: Pick<LiveSessions, 'peek'>
  readonly secondFactor: SecondFactor
  readonly heldTokens: Pick<HeldTokens, 'hold'>
  readonly loginFlows: LoginFlows
  readonly loginProviders: LoginProviders
}

/** Where providers send browsers back to. */
export const CALLBACK = '/console/callback'

interface NewFlow {
  /** Of the URL by which the browser reaches the controller. */
  readonly origin: string
  /** The console page to show after the login. */
  readonly next: string
  /** The browser's current session, if any. */
  readonly sessionToken: string | undefined
  /** Added to the authorization request when a login that was too weak or too old is repeated. */
  readonly stepUp?: Readonly<Record<string, string>>
}

/** The identity provider's authorization response (RFC 6749, section 4.1.2). */
interface AuthorizationResponse {
  readonly iss: string | undefined
  readonly error: string | undefined
  readonly code: string | undefined
}

/** Login to the console at an identity provider: authorization code flow with PKCE. Every failure throws ConsoleLoginError. */
export class ConsoleLogin {
  readonly #parts: ConsoleLoginParts

  constructor(parts: ConsoleLoginParts) {
    this.#parts = parts
  }

  async getSigner(id: string): Promise<StoredSigner> {
    const signer = (await this.#parts.signers.enabled()).findById(id)
    if (!signer) throw new ConsoleLoginError('signer', 'no enabled signer has this id')
    return signer.stored
  }

  /** Returns the URL to send the browser to, and the value of the cookie that binds the flow to the browser. */
  async begin(
    signer: StoredSigner,
    { origin, next, sessionToken, stepUp }: NewFlow,
  ): Promise<{ url: string; cookie: string }> {
    const provider = await this.#parts.loginProviders.find(signer)
    const isSecondFactor = await this.#requiresTokenOf(signer.id, sessionToken)
    const flow: LoginFlow = {
      signerId: signer.id,
      revision: signer.revision,
      nonce: newSecret(),
      verifier: newSecret(),
      redirectUri: `${origin}${callbackOf(signer, provider)}`,
      next,
      ...(stepUp && { isStepUp: true }),
      ...(isSecondFactor ? { sessionToken } : { replaces: sessionToken }),
    }
    const { state, cookie } = this.#parts.loginFlows.begin(flow)
    return {
      url: authorizationUrl(provider, { ...flow, state, scopes: signer.scopes ?? [], ...(stepUp && { stepUp }) }),
      cookie,
    }
  }

  /** Returns the flow that this browser began, once. `path` is that of the response. */
  take(state: string, { cookie, path }: { readonly cookie: string | undefined; readonly path: string }): LoginFlow {
    const flow = this.#parts.loginFlows.take(state, cookie)
    if (!flow) throw new ConsoleLoginError('expired', 'this browser has begun no login with this state')
    if (new URL(flow.redirectUri).pathname !== path) {
      throw new ConsoleLoginError('provider', 'the response came to the address of another provider')
    }
    return flow
  }

  /** Exchanges the provider's code for a token of the flow's signer. */
  async redeem(flow: LoginFlow, response: AuthorizationResponse, clientAddress: string): Promise<string> {
    const signer = await this.getSigner(flow.signerId)
    if (signer.revision !== flow.revision) throw new ConsoleLoginError('expired', 'the signer changed during the login')
    const provider = await this.#parts.loginProviders.find(signer)
    const code = readCode(response, provider, flow)
    return this.#parts.loginProviders.redeem(signer, provider, { ...flow, code, clientAddress })
  }

  /** Returns the cookies that hold the token as the second factor of the session. */
  async hold(sessionToken: string, token: string, request: TokenContext): Promise<readonly HeldPiece[]> {
    const session = await this.#parts.sessions.peek(sessionToken)
    if (!session) throw new ConsoleLoginError('expired', 'the session ended during the login')
    const missing = await this.#parts.secondFactor.findMissing(session, [token], request)
    if (missing.some(({ kind }) => kind === 'ext-jwt')) {
      throw new ConsoleLoginError('refused', 'the token is not the second factor that this session requires')
    }
    const held = this.#parts.heldTokens.hold(session.id, token)
    if (held === undefined) throw new ConsoleLoginError('provider', 'the token does not fit into cookies')
    return held
  }

  /** Whether the session's policy requires this signer's token as second factor. */
  async #requiresTokenOf(signerId: string, sessionToken: string | undefined): Promise<boolean> {
    const session = sessionToken === undefined ? undefined : await this.#parts.sessions.peek(sessionToken)
    return session?.policy.secondary.requireExtJwtSigner === signerId
  }
}

/**
 * A provider that does not name itself in its responses has an address of its own. Otherwise another one could send the browser there, and
 * receive the code as if it were its own (RFC 9700 section 4.4.2).
 */
function callbackOf({ id }: StoredSigner, { sendsIssuer }: LoginProvider): string {
  return callbackPath(sendsIssuer ? undefined : id)
}

/** The path of a signer's own callback, or of the shared one. */
export function callbackPath(signerId: string | undefined): string {
  return signerId === undefined ? CALLBACK : `${CALLBACK}/${encodeURIComponent(signerId)}`
}

/** Returns the authorization code. Throws when the response comes from another issuer (RFC 9207) or is an error. */
function readCode(
  { iss, error, code }: AuthorizationResponse,
  { issuer, sendsIssuer }: LoginProvider,
  { redirectUri }: LoginFlow,
): string {
  // The provider may no longer say that it names itself. The address is that of the time when it did.
  const isRequired = sendsIssuer || new URL(redirectUri).pathname === CALLBACK
  if (iss === undefined ? isRequired : iss !== issuer) {
    throw new ConsoleLoginError('provider', 'the response comes from another issuer')
  }
  if (error !== undefined) {
    const isDenied = error === 'access_denied'
    throw new ConsoleLoginError(isDenied ? 'denied' : 'provider', 'the provider responded with an error')
  }
  if (!code) throw new ConsoleLoginError('provider', 'the response contains no code')
  return code
}
