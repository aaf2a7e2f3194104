import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface StubRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface StubResponse {
  readonly status: number
  readonly json?: unknown
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Starts a server that stands for a provider. `seen` has `METHOD path` of each request. */
export async function startStub(
  t: TestContext,
  handle: (request: StubRequest) => StubResponse | Promise<StubResponse>,
) {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stub')
    const method = request.method ?? ''
    seen.push(`${method} ${pathname}`)
    const body = Buffer.concat(parts).toString()
    const {
      status,
      json,
      type = 'application/json',
      headers,
    } = await handle({
      ...{ method, path: pathname, query: searchParams, headers: request.headers, body },
    })
    const typed = json === undefined ? {} : { 'content-type': type }
    response.writeHead(status, { ...typed, ...headers }).end(json === undefined ? '' : JSON.stringify(json))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}
