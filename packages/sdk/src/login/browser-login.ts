import { CountersignError } from '../countersign-error.ts'
import type { CallOptions } from '../http/transport.ts'
import { readClaims, toBase64Url } from '../token/base64.ts'
import { readProviderError } from '../token/token-refused-error.ts'
import { endpointOf, findLoginTarget, type LoginOptions, type LoginTarget } from './login-target.ts'
import { fetchTokens, type LoginTokens, refreshTokens } from './login-tokens.ts'

export interface BrowserLoginOptions extends LoginOptions {
  /** Where the provider redirects the browser after the login. */
  readonly redirectUri: string
}

/** The state of a login while the browser is at the provider; a page keeps it in `sessionStorage`. */
export interface PendingLogin {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
}

const RANDOM_BYTES = 32

/** A login in the browser: authorization code with PKCE (RFC 7636). */
export class BrowserLogin {
  readonly #target: LoginTarget
  readonly pending: PendingLogin
  /** The authorization request: send the browser there. */
  readonly url: string

  private constructor(target: LoginTarget, pending: PendingLogin, url: string) {
    this.#target = target
    this.pending = pending
    this.url = url
  }

  /** Starts a login: send the browser to `url`, and store `pending` if another page will resume it. */
  static async start(options: BrowserLoginOptions): Promise<BrowserLogin> {
    const pending = {
      state: randomText(),
      nonce: randomText(),
      codeVerifier: randomText(),
      redirectUri: options.redirectUri,
    }
    return BrowserLogin.resume(options, pending)
  }

  /** Resumes a login that another page started. */
  static async resume(options: LoginOptions, pending: PendingLogin): Promise<BrowserLogin> {
    const target = await findLoginTarget(options)
    const url = new URL(endpointOf(target, 'authorizationEndpoint'))
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.codeVerifier))
    const parameters = {
      ...target.parameters,
      response_type: 'code',
      client_id: target.clientId,
      redirect_uri: pending.redirectUri,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: toBase64Url(new Uint8Array(digest)),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return new BrowserLogin(target, pending, url.href)
  }

  /** Exchanges the code in the callback for tokens. Throws LOGIN_REFUSED when the callback belongs to another login. */
  async finish(callbackUrl: string, options: CallOptions = {}): Promise<LoginTokens> {
    const { searchParams: response } = new URL(callbackUrl, this.pending.redirectUri)
    const { issuer, namesIssuer } = this.#target.provider
    if (response.get('state') !== this.pending.state) throw refused('the response belongs to another login')
    const named = response.get('iss')
    if (named === null ? namesIssuer : named !== issuer) throw refused('the response comes from another provider')
    if (response.has('error')) {
      const error = readProviderError(Object.fromEntries(response), [])
      const text = [error.error, error.description].filter(Boolean).join(': ')
      throw new CountersignError({
        code: 'LOGIN_REFUSED',
        message: `${issuer} refuses the login: ${text}`,
        provider: error,
      })
    }
    const code = response.get('code')
    if (!code) throw refused('the response contains no code')
    const { codeVerifier, redirectUri, nonce } = this.pending
    const members = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier }
    const tokens = await fetchTokens(this.#target, members, options)
    if (tokens.idToken !== undefined && readClaims(tokens.idToken)?.nonce !== nonce) {
      throw refused('the ID token belongs to another login')
    }
    return tokens
  }

  /** New tokens for a refresh token. */
  refresh(refreshToken: string, options: CallOptions = {}): Promise<LoginTokens> {
    return refreshTokens(this.#target, refreshToken, options)
  }
}

function refused(message: string): CountersignError {
  return new CountersignError({ code: 'LOGIN_REFUSED', message, hint: 'start the login again' })
}

function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))
}
