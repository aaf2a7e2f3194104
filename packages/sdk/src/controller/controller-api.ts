import { CountersignError } from '../countersign-error.ts'
import { unexpectedResponse } from '../http/error-response.ts'
import { type ApiCall, JsonApi } from '../http/json-api.ts'
import { memberOf } from '../http/read-body.ts'
import type { TransportOptions } from '../http/transport.ts'
import { SessionAuthorization, type SessionOptions } from './session-authorization.ts'

/** The two APIs of a controller. */
export type ApiName = 'client' | 'management'

export interface ControllerApiOptions extends SessionOptions, TransportOptions {
  /** The controller's address, e.g. `https://127.0.0.1:1280`. */
  readonly baseUrl: string
  /** Asked when a change would lock out all administrators. The change is made when it resolves to true; without it, such a change fails. */
  readonly confirmLockOut?: ((message: string) => Promise<boolean>) | undefined
}

/** A successful response in the controller's envelope. */
export interface ApiResponse<Data> {
  readonly data: Data
  readonly meta: unknown
  readonly headers: Headers
}

/** Calls both APIs of a controller with one session and unwraps their envelopes. */
export class ControllerApi {
  readonly authorization: SessionAuthorization
  readonly #authorized: JsonApi
  readonly #anonymous: JsonApi
  readonly #confirmLockOut: ControllerApiOptions['confirmLockOut']

  constructor(options: ControllerApiOptions) {
    this.authorization = new SessionAuthorization(options)
    this.#authorized = new JsonApi(options.baseUrl, this.authorization, options)
    this.#anonymous = new JsonApi(options.baseUrl, { headers: async () => ({}) }, options)
    this.#confirmLockOut = options.confirmLockOut
  }

  get baseUrl(): string {
    return this.#authorized.baseUrl
  }

  /** Returns the `data` of the response. Sends the session. */
  async call<Data>(api: ApiName, call: ApiCall): Promise<Data> {
    return (await this.exchange<Data>(api, call)).data
  }

  /** Like `call`, and also returns `meta` and the headers. */
  async exchange<Data>(api: ApiName, call: ApiCall): Promise<ApiResponse<Data>> {
    try {
      return await this.#send<Data>(this.#authorized, api, call)
    } catch (error) {
      if (!(await this.#isConfirmed(error))) throw error
      return this.#send<Data>(this.#authorized, api, { ...call, query: { ...call.query, confirmLockOut: true } })
    }
  }

  async #isConfirmed(error: unknown): Promise<boolean> {
    if (!(error instanceof CountersignError) || error.code !== 'WOULD_LOCK_OUT') return false
    return (await this.#confirmLockOut?.(error.reason)) ?? false
  }

  /** Like `call`, but sends neither session nor secondary token. */
  async callAnonymously<Data>(api: ApiName, call: ApiCall): Promise<Data> {
    return (await this.#send<Data>(this.#anonymous, api, call)).data
  }

  /** Returns the JSON of the response without unwrapping it. */
  request(call: ApiCall): Promise<unknown> {
    return this.#authorized.call(call)
  }

  /** Returns a successful response with its body unread. */
  open(api: ApiName, call: ApiCall): Promise<Response> {
    return this.#authorized.open(withApiPath(api, call))
  }

  async #send<Data>(sender: JsonApi, api: ApiName, call: ApiCall): Promise<ApiResponse<Data>> {
    const { value, headers } = await sender.exchange(withApiPath(api, call))
    const data = memberOf(value, 'data')
    if (data === undefined) throw unexpectedResponse({ status: 200 }, this.baseUrl)
    return { data: data as Data, meta: memberOf(value, 'meta'), headers }
  }
}

function withApiPath(api: ApiName, call: ApiCall): ApiCall {
  return { ...call, path: `/edge/${api}/v1${call.path}` }
}
