import type { Authorization } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import { readClaims } from '../token/base64.ts'

/** Returns a token: the same one as before, or a new one. */
export type TokenSupplier = () => string | Promise<string>

export interface SessionOptions {
  /** An existing session token. */
  readonly session?: string | undefined
  /** Token of a second signer, for policies that require one on every call. A supplier is called again shortly before expiry. */
  readonly secondaryToken?: string | TokenSupplier | undefined
  /** Returns a new session after a 401. Called once per call. */
  readonly renewSession?: ((options: CallOptions) => Promise<string>) | undefined
}

/** Tokens are replaced this long before expiry: calls take time, and clocks differ. */
const MARGIN_MS = 30_000
const MS_PER_SECOND = 1000

/** Authorizes calls with the session and, where configured, a secondary token. */
export class SessionAuthorization implements Authorization {
  #session: string | undefined
  readonly #supplier: TokenSupplier | undefined
  readonly #renewSession: SessionOptions['renewSession']
  #secondary: string | undefined
  #pendingSecondary: Promise<string> | undefined
  #pendingSession: Promise<string> | undefined

  constructor({ session, secondaryToken, renewSession }: SessionOptions) {
    this.#session = session
    this.#supplier = typeof secondaryToken === 'string' ? () => secondaryToken : secondaryToken
    this.#renewSession = renewSession
  }

  get session(): string | undefined {
    return this.#session
  }

  set session(token: string | undefined) {
    this.#session = token
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const secondary = await this.#getSecondary()
    return {
      ...(this.#session !== undefined && { 'zt-session': this.#session }),
      ...(secondary !== undefined && { authorization: `Bearer ${secondary}` }),
    }
  }

  async renew(refused: Readonly<Record<string, string>>, options: CallOptions): Promise<boolean> {
    const { 'zt-session': session } = refused
    if (!this.#renewSession || session === undefined) return false
    // A concurrent call may have renewed the session already, or be renewing it.
    if (this.#session === session) {
      this.#pendingSession ??= this.#renewSession(options).finally(() => {
        this.#pendingSession = undefined
      })
      this.#session = await this.#pendingSession
    }
    return this.#session !== session
  }

  async #getSecondary(): Promise<string | undefined> {
    if (!this.#supplier) return undefined
    if (this.#secondary !== undefined && hasTimeLeft(this.#secondary)) return this.#secondary
    this.#pendingSecondary ??= Promise.resolve(this.#supplier()).finally(() => {
      this.#pendingSecondary = undefined
    })
    this.#secondary = await this.#pendingSecondary
    return this.#secondary
  }
}

/** False without `exp`: such a token is requested for each call. */
function hasTimeLeft(token: string): boolean {
  const exp = readClaims(token)?.exp
  return typeof exp === 'number' && Date.now() < exp * MS_PER_SECOND - MARGIN_MS
}
