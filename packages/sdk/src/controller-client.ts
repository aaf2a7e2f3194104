import { ApiError, toApiError } from './api-error.ts'
import type { ClientSigner, Signer, SignerInput } from './signer-types.ts'

export interface ControllerClientOptions {
  /** The controller's address, e.g. `https://127.0.0.1:1280`. */
  readonly baseUrl: string
  /** A `fetch` that trusts the controller's certificate; the global one unless given. */
  readonly fetch?: typeof globalThis.fetch
  /** How long to wait for one answer; 30 s unless given. */
  readonly timeoutMs?: number
}

const MANAGEMENT = '/edge/management/v1'
const CLIENT = '/edge/client/v1'
const PAGE = 100
const DEFAULT_TIMEOUT_MS = 30_000

/** A client of one controller's APIs. Every method throws `ApiError`. */
export class ControllerClient {
  readonly #baseUrl: string
  readonly #fetch: typeof globalThis.fetch
  readonly #timeoutMs: number
  #session: string | undefined

  constructor({ baseUrl, fetch = globalThis.fetch, timeoutMs = DEFAULT_TIMEOUT_MS }: ControllerClientOptions) {
    this.#baseUrl = baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl
    this.#fetch = fetch
    this.#timeoutMs = timeoutMs
  }

  /** The signers one may log in with; needs no session. */
  async listClientSigners(): Promise<ClientSigner[]> {
    return this.#call<ClientSigner[]>('GET', `${CLIENT}/external-jwt-signers`)
  }

  /** Trades a password for a session, which later calls use. */
  async logInWithPassword(username: string, password: string): Promise<void> {
    const path = `${MANAGEMENT}/authenticate?method=password`
    const { token } = await this.#call<{ token: string }>('POST', path, { username, password })
    this.#session = token
  }

  /** Ends the session. */
  async logOut(): Promise<void> {
    await this.#call('DELETE', `${MANAGEMENT}/current-api-session`)
    this.#session = undefined
  }

  /** All signers, page after page by id, so that nothing is missed or seen twice while others write. */
  async *listSigners(): AsyncGenerator<Signer> {
    let last: string | undefined
    for (;;) {
      const filter = last === undefined ? 'true' : `id > "${last}"`
      const query = new URLSearchParams({ filter, sort: 'id asc', limit: String(PAGE) })
      const page = await this.#call<Signer[]>('GET', `${MANAGEMENT}/ext-jwt-signers?${query}`)
      yield* page
      last = page.at(-1)?.id
      if (page.length < PAGE || last === undefined) return
    }
  }

  async getSigner(id: string): Promise<Signer> {
    return this.#call<Signer>('GET', signerPath(id))
  }

  /** Creates a signer and gives back its id. */
  async createSigner(signer: SignerInput): Promise<string> {
    return (await this.#call<{ id: string }>('POST', `${MANAGEMENT}/ext-jwt-signers`, signer)).id
  }

  /** Sets every field: what is not given goes back to its default. */
  async replaceSigner(id: string, signer: SignerInput): Promise<void> {
    await this.#call('PUT', signerPath(id), signer)
  }

  /** Changes the given fields only. */
  async patchSigner(id: string, changes: Partial<SignerInput>): Promise<void> {
    await this.#call('PATCH', signerPath(id), changes)
  }

  async deleteSigner(id: string): Promise<void> {
    await this.#call('DELETE', signerPath(id))
  }

  async #call<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const response = await this.#send(method, path, body)
    if (!response.ok) throw await toApiError(response)
    const { data } = (await response.json()) as { data: Data }
    return data
  }

  async #send(method: string, path: string, body: unknown): Promise<Response> {
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(this.#session !== undefined && { 'zt-session': this.#session }),
    }
    const signal = AbortSignal.timeout(this.#timeoutMs)
    const payload = body === undefined ? {} : { body: JSON.stringify(body) }
    try {
      return await this.#fetch(this.#baseUrl + path, { method, headers, signal, redirect: 'error', ...payload })
    } catch (cause) {
      const message = `no answer from ${this.#baseUrl}`
      throw new ApiError({ code: 'NETWORK', status: 0, message, cause })
    }
  }
}

function signerPath(id: string): string {
  return `${MANAGEMENT}/ext-jwt-signers/${encodeURIComponent(id)}`
}
