import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A response; a function writes it itself. */
export type LocalResponse =
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

/** Starts a real HTTP server on this machine. It responds with `respond` and records requests in `seen`. */
export async function startServer(
  t: TestContext,
  respond: (request: SeenRequest, count: number) => LocalResponse | Promise<LocalResponse>,
): Promise<LocalServer> {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const received = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    seen.push(received)
    const given = await respond(received, seen.length)
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
