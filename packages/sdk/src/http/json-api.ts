import { CountersignError } from '../countersign-error.ts'
import { badAnswer, toError } from './error-answer.ts'
import { parseJson } from './read-body.ts'
import { parseBaseAddress } from './safe-address.ts'
import { type Answer, type CallOptions, Transport, type TransportOptions } from './transport.ts'

export type QueryValue = string | number | boolean | undefined

/** One call of an API that speaks JSON. */
export interface ApiCall extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the base address, each segment encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  readonly isRepeatable?: boolean | undefined
}

/** What shows the server who calls. */
export interface Authorization {
  headers(options: CallOptions): Promise<Readonly<Record<string, string>>>
  /** After a 401: makes `headers` give others, and says whether that is worth one more try. */
  renew?(refused: Readonly<Record<string, string>>, options: CallOptions): Promise<boolean>
}

const UNAUTHORIZED = 401

/** Sends calls to one server as one caller, once more after a 401 if the caller has something new to show. */
export class JsonApi {
  readonly baseUrl: string
  readonly #transport: Transport
  readonly #authorization: Authorization

  constructor(baseUrl: string, authorization: Authorization, options: TransportOptions) {
    this.baseUrl = parseBaseAddress(baseUrl, 'baseUrl')
    this.#transport = new Transport(options)
    this.#authorization = authorization
  }

  /** The JSON of a success, undefined for an empty one. Throws CountersignError. */
  async call(call: ApiCall): Promise<unknown> {
    return (await this.exchange(call)).value
  }

  /** The same, with the headers of the answer. */
  async exchange(call: ApiCall): Promise<{ readonly value: unknown; readonly headers: Headers }> {
    const answer = await this.#authorized(call, (headers) => this.#transport.send(this.#outgoing(call, headers)))
    if (!answer.isOk) throw toError(answer)
    const { headers, text } = answer
    if (text === '') return { value: undefined, headers }
    const value = parseJson(text)
    if (typeof value !== 'object' || value === null) throw badAnswer(answer, this.baseUrl)
    return { value, headers }
  }

  /** The success itself, its body still unread. */
  async open(call: ApiCall): Promise<Response> {
    const response = await this.#authorized(call, (headers) => this.#transport.open(this.#outgoing(call, headers)))
    if (response.ok) return response
    throw toError({ status: response.status, headers: response.headers, text: await response.text() })
  }

  async #authorized<Reply extends Pick<Answer, 'status'>>(
    { signal, timeoutMs }: ApiCall,
    send: (headers: Readonly<Record<string, string>>) => Promise<Reply>,
  ): Promise<Reply> {
    const shown = await this.#authorization.headers({ signal, timeoutMs })
    const reply = await send(shown)
    if (reply.status !== UNAUTHORIZED || !this.#authorization.renew) return reply
    if (!(await this.#authorization.renew(shown, { signal, timeoutMs }))) return reply
    return send(await this.#authorization.headers({ signal, timeoutMs }))
  }

  #outgoing(call: ApiCall, authorization: Readonly<Record<string, string>>) {
    const { method, path, query, body, signal, timeoutMs, isRepeatable } = call
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...authorization,
      ...call.headers,
    }
    const url = this.baseUrl + path + buildQuery(query)
    const text = body === undefined ? undefined : JSON.stringify(body)
    return { method, url, headers, body: text, signal, timeoutMs, isRepeatable }
  }
}

function buildQuery(query: ApiCall['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Segments that are no segment of an address: it would be that of something else, such as the whole list. */
const NO_SEGMENTS = ['', '.', '..']

/** A path whose parts can hold anything that can be told from the path itself. Throws BAD_ID for the rest. */
export function pathOf(base: string, ...segments: readonly string[]): string {
  const wrong = segments.find((segment) => NO_SEGMENTS.includes(segment))
  if (wrong === undefined) return [base, ...segments.map(encodeURIComponent)].join('/')
  throw new CountersignError({
    code: 'BAD_ID',
    message: wrong === '' ? 'the id is empty' : `"${wrong}" is no id`,
    hint: 'give the id of one of them',
  })
}
