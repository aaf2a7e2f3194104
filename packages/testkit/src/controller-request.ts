import { type Agent, request as httpsRequest } from 'node:https'

const RESPONSE_LIMIT_MS = 30_000

export interface ControllerRequest {
  readonly body?: unknown
  readonly session?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A new connection for each request unless given. */
  readonly agent?: Agent
  /** The client certificate to present, PEM, with its key. */
  readonly client?: { readonly cert: string; readonly key: string }
}

export interface ControllerResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly json: any
}

/** Sends one request, trusting only `ca`. Rejects when the response is incomplete. */
export function sendRequest(
  url: URL,
  ca: Buffer,
  method: string,
  options: ControllerRequest,
): Promise<ControllerResponse> {
  const { body, session, agent = false, client } = options
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(session === undefined ? {} : { 'zt-session': session }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      url,
      { method, ca, agent, headers, timeout: RESPONSE_LIMIT_MS, ...client },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.once('error', reject)
        response.once('end', () => {
          const isJson = response.headers['content-type']?.match(/^application\/(scim\+)?json/) && text !== ''
          const json = isJson ? JSON.parse(text) : undefined
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json })
        })
      },
    )
    request.once('timeout', () => request.destroy(new Error(`${method} ${url.pathname} got no response`)))
    request.once('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
