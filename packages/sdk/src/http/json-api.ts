import { CountersignError } from '../countersign-error.ts'
import { toError, unexpectedResponse } from './error-response.ts'
import { parseJson, readText } from './read-body.ts'
import { parseBaseAddress } from './safe-address.ts'
import { type CallOptions, type HttpResponse, Transport, type TransportOptions } from './transport.ts'

export type QueryValue = string | number | boolean | undefined

/** One call of a JSON API. */
export interface ApiCall extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the base address, each segment encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  readonly isIdempotent?: boolean | undefined
}

/** Supplies the credentials of calls. */
export interface Authorization {
  headers(options: CallOptions): Promise<Readonly<Record<string, string>>>
  /** Called after a 401. Returns true when `headers` now returns other credentials, so that a retry makes sense. */
  renew?(refused: Readonly<Record<string, string>>, options: CallOptions): Promise<boolean>
}

const UNAUTHORIZED = 401

/** Sends calls to one server. Retries once after a 401 when the authorization could be renewed. */
export class JsonApi {
  readonly baseUrl: string
  readonly #transport: Transport
  readonly #authorization: Authorization

  constructor(baseUrl: string, authorization: Authorization, options: TransportOptions) {
    this.baseUrl = parseBaseAddress(baseUrl, 'baseUrl')
    this.#transport = new Transport(options)
    this.#authorization = authorization
  }

  /** Returns the JSON of a successful response, undefined for an empty one. Throws CountersignError. */
  async call(call: ApiCall): Promise<unknown> {
    return (await this.exchange(call)).value
  }

  /** Like `call`, and also returns the headers. */
  async exchange(call: ApiCall): Promise<{ readonly value: unknown; readonly headers: Headers }> {
    const response = await this.#authorized(call, (headers) => this.#transport.send(this.#outgoing(call, headers)))
    if (!response.isOk) throw toError(response)
    const { headers, text } = response
    if (text === '') return { value: undefined, headers }
    const value = parseJson(text)
    if (typeof value !== 'object' || value === null) throw unexpectedResponse(response, this.baseUrl)
    return { value, headers }
  }

  /** Returns a successful response with its body unread. */
  async open(call: ApiCall): Promise<Response> {
    const response = await this.#authorized(call, (headers) => this.#transport.open(this.#outgoing(call, headers)))
    if (response.ok) return response
    throw toError({ status: response.status, headers: response.headers, text: await readText(response) })
  }

  async #authorized<Received extends Pick<HttpResponse, 'status'>>(
    { signal, timeoutMs }: ApiCall,
    send: (headers: Readonly<Record<string, string>>) => Promise<Received>,
  ): Promise<Received> {
    const sent = await this.#authorization.headers({ signal, timeoutMs })
    const response = await send(sent)
    if (response.status !== UNAUTHORIZED || !this.#authorization.renew) return response
    if (!(await this.#authorization.renew(sent, { signal, timeoutMs }))) return response
    return send(await this.#authorization.headers({ signal, timeoutMs }))
  }

  #outgoing(call: ApiCall, authorization: Readonly<Record<string, string>>) {
    const { method, path, query, body, signal, timeoutMs, isIdempotent } = call
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...authorization,
      ...call.headers,
    }
    if (!path.startsWith('/')) throw new TypeError(`the path ${path} does not begin with a slash`)
    const url = this.baseUrl + path + buildQuery(query)
    const text = body === undefined ? undefined : JSON.stringify(body)
    return { method, url, headers, body: text, signal, timeoutMs, isIdempotent }
  }
}

function buildQuery(query: ApiCall['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** URL parsing drops these segments, so that the path would name something else, such as the whole collection. */
const INVALID_SEGMENTS = ['', '.', '..']

/** Joins and encodes segments. Throws BAD_ID for those that no path can contain. */
export function pathOf(base: string, ...segments: readonly string[]): string {
  const invalid = segments.find((segment) => INVALID_SEGMENTS.includes(segment))
  if (invalid === undefined) return [base, ...segments.map(encodeURIComponent)].join('/')
  throw new CountersignError({
    code: 'BAD_ID',
    message: invalid === '' ? 'the id is empty' : `"${invalid}" is not a valid id`,
    hint: 'give the id of an existing item',
  })
}
