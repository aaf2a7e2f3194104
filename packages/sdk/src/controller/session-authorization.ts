import type { Authorization } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import { readClaims } from '../token/base64.ts'

/** Gives a token, the same or a new one, whenever it is asked. */
export type TokenSupplier = () => string | Promise<string>

export interface SessionOptions {
  /** A session that exists already. */
  readonly session?: string | undefined
  /** Tokens for policies that want one of a second signer on every call. It is asked when the last one nears its end. */
  readonly secondaryToken?: string | TokenSupplier | undefined
  /** Gives another session after a 401, once per call. */
  readonly renewSession?: ((options: CallOptions) => Promise<string>) | undefined
}

/** A token this close to its end is replaced: calls take time, and clocks differ. */
const MARGIN_MS = 30_000
const MS_PER_SECOND = 1000

/** The session that a client's calls are made with, and the second token beside it. */
export class SessionAuthorization implements Authorization {
  #session: string | undefined
  readonly #supplier: TokenSupplier | undefined
  readonly #renewSession: SessionOptions['renewSession']
  #secondary: string | undefined
  #flight: Promise<string> | undefined
  #renewal: Promise<string> | undefined

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
    const secondary = await this.#findSecondary()
    return {
      ...(this.#session !== undefined && { 'zt-session': this.#session }),
      ...(secondary !== undefined && { authorization: `Bearer ${secondary}` }),
    }
  }

  async renew(refused: Readonly<Record<string, string>>, options: CallOptions): Promise<boolean> {
    const { 'zt-session': session } = refused
    if (!this.#renewSession || session === undefined) return false
    // Somebody else who was refused may have been quicker, or be about it.
    if (this.#session === session) {
      this.#renewal ??= this.#renewSession(options).finally(() => {
        this.#renewal = undefined
      })
      this.#session = await this.#renewal
    }
    return this.#session !== session
  }

  async #findSecondary(): Promise<string | undefined> {
    if (!this.#supplier) return undefined
    if (this.#secondary !== undefined && hasTime(this.#secondary)) return this.#secondary
    this.#flight ??= Promise.resolve(this.#supplier()).finally(() => {
      this.#flight = undefined
    })
    this.#secondary = await this.#flight
    return this.#secondary
  }
}

/** A token that does not say when it ends is asked for each time. */
function hasTime(token: string): boolean {
  const exp = readClaims(token)?.exp
  return typeof exp === 'number' && Date.now() < exp * MS_PER_SECOND - MARGIN_MS
}
