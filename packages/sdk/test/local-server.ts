import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What to answer; a function takes the connection into its own hands. */
export type LocalAnswer =
  | {
      readonly status?: number
      readonly json?: unknown
      readonly text?: string
      readonly headers?: Record<string, string>
    }
  | ((response: ServerResponse) => void)

export interface LocalServer {
  readonly url: string
  readonly seen: SeenRequest[]
}

/** A real HTTP server on this machine that answers as it is told and remembers what it was asked. */
export async function startServer(
  t: TestContext,
  answer: (request: SeenRequest, count: number) => LocalAnswer | Promise<LocalAnswer>,
): Promise<LocalServer> {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    seen.push(one)
    const given = await answer(one, seen.length)
    if (typeof given === 'function') return given(response)
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers })
    response.end(given.text ?? (given.json === undefined ? '' : JSON.stringify(given.json)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}
