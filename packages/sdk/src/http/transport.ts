import { CountersignError } from '../countersign-error.ts'
import { explainFetchError } from './fetch-error.ts'
import { readText } from './read-body.ts'
import { readRetryAfter, retryDelayMs, sleep } from './retry-delay.ts'

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Time limit of each attempt. Default: the client's. */
  readonly timeoutMs?: number | undefined
}

export interface TransportOptions {
  /** A `fetch` that trusts the server's CA or presents a client certificate. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Time limit of each attempt. Default: 30 s. */
  readonly timeoutMs?: number | undefined
  /** Retries after no response, 429 or 503. Default: 2. */
  readonly retries?: number | undefined
}

export interface OutgoingCall extends CallOptions {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Default: by method. */
  readonly isIdempotent?: boolean | undefined
}

/** A response with its body read. */
export interface HttpResponse {
  readonly status: number
  readonly isOk: boolean
  readonly headers: Headers
  readonly text: string
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_RETRIES = 2
const IDEMPOTENT_METHODS = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])
const TOO_MANY = 429
const UNAVAILABLE = 503

type Failure = { readonly error: CountersignError; readonly isNoResponse: boolean }
type AttemptResult<Result> = Failure | { readonly result: Result; readonly response: Response }

/** Sends calls, with a time limit for each attempt and a few retries. Never follows redirects. */
export class Transport {
  readonly #fetch: typeof globalThis.fetch
  readonly #timeoutMs: number
  readonly #retries: number

  constructor({ fetch, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES }: TransportOptions) {
    // Browsers require that fetch is called with the window as `this`.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#timeoutMs = timeoutMs
    this.#retries = retries
  }

  /** Returns the response, whatever its status. Throws NETWORK, NO_ANSWER_IN_TIME, REDIRECTED, or the reason of the call's signal. */
  send(call: OutgoingCall): Promise<HttpResponse> {
    return this.#try(call, async (response) => {
      const { status, ok, headers } = response
      return { status, isOk: ok, headers, text: await readText(response) }
    })
  }

  /** Like `send`, but leaves the body unread. The time limit does not apply to it. */
  open(call: OutgoingCall): Promise<Response> {
    return this.#try(call, async (response) => response)
  }

  async #try<Result>(call: OutgoingCall, read: (response: Response) => Promise<Result>): Promise<Result> {
    const isIdempotent = call.isIdempotent ?? IDEMPOTENT_METHODS.has(call.method)
    for (let attempt = 0; ; attempt++) {
      const attempted = await this.#attempt(call, read)
      const delayMs = attempt < this.#retries ? retryDelay(attempted, attempt, isIdempotent) : undefined
      if (delayMs !== undefined) {
        if ('response' in attempted && !attempted.response.bodyUsed)
          await attempted.response.body?.cancel().catch(() => {})
        await sleep(delayMs, call.signal)
      } else if ('error' in attempted) throw attempted.error
      else return attempted.result
    }
  }

  async #attempt<Result>(
    { method, url, headers, body, signal, timeoutMs = this.#timeoutMs }: OutgoingCall,
    read: (response: Response) => Promise<Result>,
  ): Promise<AttemptResult<Result>> {
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
      if (isRedirect(response)) return { error: redirected(response, url), isNoResponse: false }
      return { result: await read(response), response }
    } catch (cause) {
      signal?.throwIfAborted()
      if (cause instanceof CountersignError) return { error: cause, isNoResponse: false }
      const { origin } = new URL(url)
      if (!limit.signal.aborted) return { error: explainFetchError(origin, cause), isNoResponse: true }
      const message = `no response from ${origin} within ${timeoutMs} ms`
      return { error: new CountersignError({ code: 'NO_ANSWER_IN_TIME', message }), isNoResponse: true }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The delay before the next attempt; undefined when there is none. */
function retryDelay(attempted: AttemptResult<unknown>, attempt: number, isIdempotent: boolean): number | undefined {
  if ('error' in attempted) return attempted.isNoResponse && isIdempotent ? retryDelayMs(attempt, undefined) : undefined
  const { status, headers } = attempted.response
  // A 429 means that the request was not processed; after a 503 it may have been.
  if (status === TOO_MANY || (status === UNAVAILABLE && isIdempotent)) {
    return retryDelayMs(attempt, readRetryAfter(headers))
  }
  return undefined
}

/** Browsers hide the status and location of a redirect. */
function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'))
}

function redirected({ status, headers }: Response, url: string): CountersignError {
  const location = headers.get('location') ?? ''
  const to = URL.canParse(location, url) ? new URL(location, url).origin : 'another address'
  return new CountersignError({
    code: 'REDIRECTED',
    status,
    message: `${new URL(url).origin} redirects to ${to}; redirects are not followed`,
    hint: 'if you trust that address, use it directly',
  })
}
