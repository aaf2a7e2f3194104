import type { Credentials } from '../credentials/credentials.ts'
import { type CallOptions, Transport, type TransportOptions } from '../http/transport.ts'
import type { TokenRequestOptions } from './build-token-request.ts'
import { type RecognizedProvider, recognizeProvider } from './recognize-provider.ts'
import { type AccessToken, requestToken } from './request-token.ts'

/** Keeps tokens beyond this process. When it fails, a new token is requested. */
export interface TokenStore {
  load(key: TokenKey): Promise<AccessToken | undefined>
  save(key: TokenKey, token: AccessToken): Promise<void>
  /** Runs `work` under a lock per key that all users of the store share. Without it, each process requests its own token. */
  exclusively?<Result>(key: TokenKey, work: () => Promise<Result>): Promise<Result>
}

/** Identifies a token by client and purpose. */
export interface TokenKey {
  readonly authenticationUrl: string
  readonly clientId: string
  /** Audience and scope, if requested. */
  readonly purpose: string
}

export interface TokenSourceOptions extends TokenRequestOptions, TransportOptions {
  readonly credentials: Credentials
  /** Default: tokens are kept in memory only. */
  readonly store?: TokenStore | undefined
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** The fraction of a token's lifetime after which it is renewed. */
const RENEW_AT = 0.8
const MS_PER_SECOND = 1000

/** Whether a token has more than a fifth of its lifetime left. */
export function isFresh({ obtainedAt, expiresInSeconds }: AccessToken, now: number): boolean {
  return now >= obtainedAt && now < obtainedAt + expiresInSeconds * RENEW_AT * MS_PER_SECOND
}

/** Supplies the access tokens of calls. */
export interface AccessTokens {
  getToken(options?: CallOptions): Promise<string>
  /** Returns another token than `refused`, or `refused` when there is no other. */
  renew(refused: string, options?: CallOptions): Promise<string>
}

/** Access tokens of one API account: kept in memory, renewed at 80 % of their lifetime, with one request at a time. */
export class TokenSource implements AccessTokens {
  readonly #options: TokenSourceOptions
  readonly #transport: Transport
  readonly #now: () => number
  #recognized: RecognizedProvider | undefined
  #current: AccessToken | undefined
  #pending: Promise<AccessToken> | undefined
  /** The last token that a server refused: the store may still hold it. */
  #refused: string | undefined

  constructor(options: TokenSourceOptions) {
    this.#options = options
    this.#transport = new Transport(options)
    this.#now = options.now ?? Date.now
  }

  get credentials(): Credentials {
    return this.#options.credentials
  }

  /** Returns a fresh token, requesting one if needed. */
  async getToken({ signal }: CallOptions = {}): Promise<string> {
    if (this.#current && isFresh(this.#current, this.#now())) return this.#current.token
    return (await this.#share(signal)).token
  }

  /** Returns a token other than `refused`. Concurrent calls share one request. */
  async renew(refused: string, { signal }: CallOptions = {}): Promise<string> {
    if (this.#current?.token === refused) this.#current = undefined
    this.#refused = refused
    return this.getToken({ signal })
  }

  /** All waiting callers share one request. Aborting one caller does not abort it for the others. */
  #share(signal: AbortSignal | undefined): Promise<AccessToken> {
    this.#pending ??= this.#obtain().finally(() => {
      this.#pending = undefined
    })
    return untilAborted(this.#pending, signal)
  }

  async #obtain(): Promise<AccessToken> {
    const { store } = this.#options
    const key = this.#key()
    const work = () => this.#loadOrRequest(key)
    this.#current = await (store?.exclusively ? store.exclusively(key, work) : work())
    return this.#current
  }

  async #loadOrRequest(key: TokenKey): Promise<AccessToken> {
    const { store } = this.#options
    const stored = await store?.load(key).catch(() => undefined)
    if (stored && stored.token !== this.#refused && isFresh(stored, this.#now())) return stored
    const order = { ...this.#options, transport: this.#transport, now: this.#now() }
    this.#recognized ??= await recognizeProvider(order)
    const issued = await requestToken(order, this.#recognized)
    await store?.save(key, issued).catch(() => {})
    return issued
  }

  #key(): TokenKey {
    const { credentials, audience, hostedUrl, scope } = this.#options
    const { authenticationUrl, clientId } = credentials
    return {
      authenticationUrl,
      clientId,
      purpose: [audience ?? hostedUrl ?? '', scope ?? credentials.scope ?? ''].join(' ').trim(),
    }
  }
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
