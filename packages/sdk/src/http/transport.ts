import { CountersignError } from '../countersign-error.ts'
import { explainFetchError } from './fetch-error.ts'
import { readText } from './read-body.ts'
import { readRetryAfter, retryDelayMs, sleep } from './retry-delay.ts'

/** What every call may be given. */
export interface CallOptions {
  /** Ends the call early; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait for one answer, in place of the client's own limit. */
  readonly timeoutMs?: number | undefined
}

export interface TransportOptions {
  /** A `fetch` that trusts the server's certificate, or shows one of its own; the global one unless given. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How long to wait for one answer; 30 s unless given. */
  readonly timeoutMs?: number | undefined
  /** How often to try again after no answer, 429 or 503; 2 unless given. */
  readonly retries?: number | undefined
}

export interface OutgoingCall extends CallOptions {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Whether doing it twice does no more than doing it once. By method unless given. */
  readonly isRepeatable?: boolean | undefined
}

/** An answer with its whole text. */
export interface Answer {
  readonly status: number
  readonly isOk: boolean
  readonly headers: Headers
  readonly text: string
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_RETRIES = 2
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])
const TOO_MANY = 429
const UNAVAILABLE = 503

type Failure = { readonly error: CountersignError; readonly isNoAnswer: boolean }
type Outcome<Result> = Failure | { readonly result: Result; readonly response: Response }

/** Sends calls: each attempt with a time limit, few attempts, and never on to another address. */
export class Transport {
  readonly #fetch: typeof globalThis.fetch
  readonly #timeoutMs: number
  readonly #retries: number

  constructor({ fetch, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES }: TransportOptions) {
    // Browsers insist that fetch is called as a function of the window.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#timeoutMs = timeoutMs
    this.#retries = retries
  }

  /** The answer, whatever its status. Throws NETWORK, NO_ANSWER_IN_TIME, REDIRECTED, or the reason of the caller's signal. */
  send(call: OutgoingCall): Promise<Answer> {
    return this.#try(call, async (response) => {
      const { status, ok, headers } = response
      return { status, isOk: ok, headers, text: await readText(response) }
    })
  }

  /** The same, but the body is left to be read for as long as it lasts. */
  open(call: OutgoingCall): Promise<Response> {
    return this.#try(call, async (response) => response)
  }

  async #try<Result>(call: OutgoingCall, read: (response: Response) => Promise<Result>): Promise<Result> {
    const isRepeatable = call.isRepeatable ?? REPEATABLE.has(call.method)
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(call, read)
      const delayMs = attempt < this.#retries ? retryDelay(outcome, attempt, isRepeatable) : undefined
      if (delayMs !== undefined) {
        if ('response' in outcome && !outcome.response.bodyUsed) await outcome.response.body?.cancel().catch(() => {})
        await sleep(delayMs, call.signal)
      } else if ('error' in outcome) throw outcome.error
      else return outcome.result
    }
  }

  async #attempt<Result>(
    { method, url, headers, body, signal, timeoutMs = this.#timeoutMs }: OutgoingCall,
    read: (response: Response) => Promise<Result>,
  ): Promise<Outcome<Result>> {
    signal?.throwIfAborted()
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    try {
      const response = await this.#fetch(url, {
        method,
        headers,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
        ...(body !== undefined && { body }),
      })
      if (isRedirect(response)) return { error: redirected(response, url), isNoAnswer: false }
      return { result: await read(response), response }
    } catch (cause) {
      signal?.throwIfAborted()
      if (cause instanceof CountersignError) return { error: cause, isNoAnswer: false }
      const { origin } = new URL(url)
      if (!limit.signal.aborted) return { error: explainFetchError(origin, cause), isNoAnswer: true }
      const message = `no answer from ${origin} within ${timeoutMs} ms`
      return { error: new CountersignError({ code: 'NO_ANSWER_IN_TIME', message }), isNoAnswer: true }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** How long to wait before the next attempt, or undefined when there shall be none. */
function retryDelay(outcome: Outcome<unknown>, attempt: number, isRepeatable: boolean): number | undefined {
  if ('error' in outcome) return outcome.isNoAnswer && isRepeatable ? retryDelayMs(attempt, undefined) : undefined
  const { status, headers } = outcome.response
  // Who is told "too many" was not served; who is told "unavailable" may have been.
  if (status === TOO_MANY || (status === UNAVAILABLE && isRepeatable)) {
    return retryDelayMs(attempt, readRetryAfter(headers))
  }
  return undefined
}

/** A browser hides what a redirect says. */
function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'))
}

function redirected({ status, headers }: Response, url: string): CountersignError {
  const location = headers.get('location') ?? ''
  const to = URL.canParse(location, url) ? new URL(location, url).origin : 'another address'
  return new CountersignError({
    code: 'REDIRECTED',
    status,
    message: `${new URL(url).origin} sends us on to ${to}, and credentials are not taken along`,
    hint: 'use the address that it redirects to, if it is one that you trust',
  })
}
