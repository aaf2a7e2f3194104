import { badAnswer } from '../http/error-answer.ts'
import { type ApiCall, JsonApi } from '../http/json-api.ts'
import { memberOf } from '../http/read-body.ts'
import type { TransportOptions } from '../http/transport.ts'
import { SessionAuthorization, type SessionOptions } from './session-authorization.ts'

/** The two APIs of a controller. */
export type ApiName = 'client' | 'management'

export interface ControllerApiOptions extends SessionOptions, TransportOptions {
  /** The controller's address, e.g. `https://127.0.0.1:1280`. */
  readonly baseUrl: string
}

/** What one call is answered with. */
export interface Reply<Data> {
  readonly data: Data
  readonly meta: unknown
  readonly headers: Headers
}

/** Speaks the envelopes of a controller, on both of its APIs, with one session. */
export class ControllerApi {
  readonly authorization: SessionAuthorization
  readonly #authorized: JsonApi
  readonly #anonymous: JsonApi

  constructor(options: ControllerApiOptions) {
    this.authorization = new SessionAuthorization(options)
    this.#authorized = new JsonApi(options.baseUrl, this.authorization, options)
    this.#anonymous = new JsonApi(options.baseUrl, { headers: async () => ({}) }, options)
  }

  get baseUrl(): string {
    return this.#authorized.baseUrl
  }

  /** What a call with the session answers in `data`. */
  async call<Data>(api: ApiName, call: ApiCall): Promise<Data> {
    return (await this.exchange<Data>(api, call)).data
  }

  /** The same, with everything around it. */
  exchange<Data>(api: ApiName, call: ApiCall): Promise<Reply<Data>> {
    return this.#send(this.#authorized, api, call)
  }

  /** What a call answers that shows nothing but what the call itself holds. */
  async callAnonymously<Data>(api: ApiName, call: ApiCall): Promise<Data> {
    return (await this.#send<Data>(this.#anonymous, api, call)).data
  }

  /** The whole of an answer, whatever its envelope. */
  request(call: ApiCall): Promise<unknown> {
    return this.#authorized.call(call)
  }

  /** A success whose body is still to be read. */
  open(api: ApiName, call: ApiCall): Promise<Response> {
    return this.#authorized.open(below(api, call))
  }

  async #send<Data>(caller: JsonApi, api: ApiName, call: ApiCall): Promise<Reply<Data>> {
    const { value, headers } = await caller.exchange(below(api, call))
    const data = memberOf(value, 'data')
    if (data === undefined) throw badAnswer({ status: 200 }, this.baseUrl)
    return { data: data as Data, meta: memberOf(value, 'meta'), headers }
  }
}

function below(api: ApiName, call: ApiCall): ApiCall {
  return { ...call, path: `/edge/${api}/v1${call.path}` }
}
