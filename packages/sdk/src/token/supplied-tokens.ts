import { CountersignError } from '../countersign-error.ts'
import type { CallOptions } from '../http/transport.ts'
import { type AccessTokenSupplier, lifetimeOf } from '../source/cached-supply.ts'
import type { AccessToken } from './request-token.ts'
import { type AccessTokens, isFresh } from './token-source.ts'

const TOO_MANY = 429
const SERVER_ERROR = 500

interface Traded {
  /** The token that was traded. */
  readonly subject: string
  /** Undefined when the server refuses to trade it. */
  readonly token: AccessToken | undefined
}

export interface SuppliedTokensOptions {
  readonly supply: AccessTokenSupplier
  /** Trades a token for one of the hosted API. */
  readonly trade: (token: string, options: CallOptions) => Promise<AccessToken>
  readonly now?: (() => number) | undefined
}

/**
 * Access tokens that come from elsewhere: a file, a command, a CI system. One that has less than a fifth of its lifetime left, and that its
 * source does not replace, is traded for an access token of the hosted API, once.
 */
export class SuppliedTokens implements AccessTokens {
  readonly #options: SuppliedTokensOptions
  readonly #now: () => number
  #seen: AccessToken | undefined
  #traded: Traded | undefined
  #pending: Promise<Traded | undefined> | undefined

  constructor(options: SuppliedTokensOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  async getToken(options: CallOptions = {}): Promise<string> {
    return this.#forUse(await this.#options.supply(), options)
  }

  async renew(refused: string, options: CallOptions = {}): Promise<string> {
    const token = await this.#options.supply(refused)
    return token === refused ? refused : this.#forUse(token, options)
  }

  async #forUse(token: string, options: CallOptions): Promise<string> {
    if (this.#traded?.subject === token) return this.#traded.token?.token ?? token
    if (this.#seen?.token !== token) this.#seen = lifetimeOf(token, this.#now())
    if (!this.#seen || isFresh(this.#seen, this.#now()) || hasExpired(this.#seen, this.#now())) return token
    this.#pending ??= this.#trade(token, options).finally(() => {
      this.#pending = undefined
    })
    const traded = await this.#pending
    if (traded) this.#traded = traded
    return traded?.token?.token ?? token
  }

  /** Undefined when the server could not trade it now: the next call tries again. */
  async #trade(subject: string, options: CallOptions): Promise<Traded | undefined> {
    try {
      return { subject, token: await this.#options.trade(subject, options) }
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error
      // Only tokens of federated accounts can be traded. The others are used while they last.
      return isRefusal(error) ? { subject, token: undefined } : undefined
    }
  }
}

function isRefusal({ code, status = 0 }: CountersignError): boolean {
  return code === 'TOKEN_REFUSED' && status < SERVER_ERROR && status !== TOO_MANY
}

function hasExpired({ obtainedAt, expiresInSeconds }: AccessToken, now: number): boolean {
  return now >= obtainedAt + expiresInSeconds * 1000
}
