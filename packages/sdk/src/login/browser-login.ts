import { CountersignError } from '../countersign-error.ts'
import type { CallOptions } from '../http/transport.ts'
import { readClaims, toBase64Url } from '../token/base64.ts'
import { readProviderWords } from '../token/token-refused.ts'
import { endpointOf, findLoginTarget, type LoginOptions, type LoginTarget } from './login-target.ts'
import { fetchTokens, type LoginTokens, refreshTokens } from './login-tokens.ts'

export interface BrowserLoginOptions extends LoginOptions {
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string
}

/** What must outlive the way to the provider and back; a page keeps it in `sessionStorage`. */
export interface PendingLogin {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
}

const RANDOM_BYTES = 32

/** A login in the browser, by authorization code with PKCE (RFC 7636), for a signer as its client view shows it. */
export class BrowserLogin {
  readonly #target: LoginTarget
  readonly pending: PendingLogin
  /** Where to send the browser. */
  readonly url: string

  private constructor(target: LoginTarget, pending: PendingLogin, url: string) {
    this.#target = target
    this.pending = pending
    this.url = url
  }

  /** Begins a login: send the browser to `url`, and keep `pending` if this page will not live to see it come back. */
  static async start(options: BrowserLoginOptions): Promise<BrowserLogin> {
    const pending = {
      state: randomText(),
      nonce: randomText(),
      codeVerifier: randomText(),
      redirectUri: options.redirectUri,
    }
    return BrowserLogin.resume(options, pending)
  }

  /** Takes up a login that another page began. */
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

  /** Trades what the browser came back with for tokens. Throws LOGIN_REFUSED when it does not belong to this login. */
  async finish(callbackUrl: string, options: CallOptions = {}): Promise<LoginTokens> {
    const { searchParams: answer } = new URL(callbackUrl, this.pending.redirectUri)
    const { issuer, namesIssuer } = this.#target.provider
    if (answer.get('state') !== this.pending.state) throw refused('the answer belongs to another login')
    const named = answer.get('iss')
    if (named === null ? namesIssuer : named !== issuer) throw refused('the answer is of another provider')
    if (answer.has('error')) {
      const words = readProviderWords(Object.fromEntries(answer), [])
      const said = [words.error, words.description].filter(Boolean).join(': ')
      throw new CountersignError({ code: 'LOGIN_REFUSED', message: `${issuer} says ${said}`, provider: words })
    }
    const code = answer.get('code')
    if (!code) throw refused('the answer holds no code')
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
  return new CountersignError({ code: 'LOGIN_REFUSED', message, hint: 'begin the login again' })
}

function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))
}
