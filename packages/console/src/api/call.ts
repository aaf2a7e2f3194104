import { CallFailed, toCallFailed } from './call-failed.ts'
import { noteAnswered } from './connection.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const TIMEOUT_MS = 30_000

/** One call of the controller's APIs with the session's cookie, which only the browser sees. Throws `CallFailed`. */
export async function call<Answer>(method: Method, path: string, body?: unknown): Promise<Answer> {
  const response = await send(method, path, body)
  const answer = response.status === 204 ? undefined : await response.json().catch(() => undefined)
  if (!response.ok) throw toCallFailed(response.status, answer)
  return answer as Answer
}

/** As `call`, for the APIs that put their answer into `data`. */
export async function callData<Data>(method: Method, path: string, body?: unknown): Promise<Data> {
  return (await call<{ data: Data }>(method, path, body)).data
}

async function send(method: Method, path: string, body: unknown): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  try {
    const response = await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    noteAnswered(true)
    return response
  } catch {
    noteAnswered(false)
    throw new CallFailed({ status: 0, code: 'NETWORK', reason: 'The controller does not answer.' })
  }
}
