import type { Credentials } from '../credentials/credentials.ts'
import { type CallOptions, Transport, type TransportOptions } from '../http/transport.ts'
import { type AccessToken, requestToken } from './request-token.ts'
import type { TokenRequestOptions } from './token-procedure.ts'

/** A place outside of this process where tokens are kept. It may fail: then a new token is asked for. */
export interface TokenStore {
  load(key: TokenKey): Promise<AccessToken | undefined>
  save(key: TokenKey, token: AccessToken): Promise<void>
  /** Does the work while nobody else who uses the store does any for this key; without it each process buys its own token. */
  exclusively?<Result>(key: TokenKey, work: () => Promise<Result>): Promise<Result>
}

/** Whose token it is, and for what. */
export interface TokenKey {
  readonly authenticationUrl: string
  readonly clientId: string
  /** Audience and scope, where they are asked for. */
  readonly purpose: string
}

export interface TokenSourceOptions extends TokenRequestOptions, TransportOptions {
  readonly credentials: Credentials
  /** Where tokens are kept beyond this process; nowhere unless given. */
  readonly store?: TokenStore | undefined
  /** The time in milliseconds; `Date.now` unless given. */
  readonly now?: (() => number) | undefined
}

/** The part of a token's life after which it is renewed. */
const RENEW_AT = 0.8
const MS_PER_SECOND = 1000

/** Whether a token has more than a fifth of its life left. */
export function isFresh({ obtainedAt, expiresInSeconds }: AccessToken, now: number): boolean {
  return now >= obtainedAt && now < obtainedAt + expiresInSeconds * RENEW_AT * MS_PER_SECOND
}

/** Access tokens of one API account: kept in memory, renewed at 80 % of their life, with one request at a time. */
export class TokenSource {
  readonly #options: TokenSourceOptions
  readonly #transport: Transport
  readonly #now: () => number
  #current: AccessToken | undefined
  #flight: Promise<AccessToken> | undefined
  /** What a server refused: the store may still hold it. */
  #refused: string | undefined

  constructor(options: TokenSourceOptions) {
    this.#options = options
    this.#transport = new Transport(options)
    this.#now = options.now ?? Date.now
  }

  get credentials(): Credentials {
    return this.#options.credentials
  }

  /** A token that is good for a while. */
  async getToken({ signal }: CallOptions = {}): Promise<string> {
    if (this.#current && isFresh(this.#current, this.#now())) return this.#current.token
    return (await this.#share(signal)).token
  }

  /** Another token than the refused one; whoever was quicker has fetched it already. */
  async renew(refused: string, { signal }: CallOptions = {}): Promise<string> {
    if (this.#current?.token === refused) this.#current = undefined
    this.#refused = refused
    return this.getToken({ signal })
  }

  /** The request belongs to all who wait for it, so that none of them can call it off for the others. */
  #share(signal: AbortSignal | undefined): Promise<AccessToken> {
    this.#flight ??= this.#obtain().finally(() => {
      this.#flight = undefined
    })
    return untilAborted(this.#flight, signal)
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
    const kept = await store?.load(key).catch(() => undefined)
    if (kept && kept.token !== this.#refused && isFresh(kept, this.#now())) return kept
    const bought = await requestToken({ ...this.#options, transport: this.#transport, now: this.#now() })
    await store?.save(key, bought).catch(() => {})
    return bought
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
