import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** How the server answers one request: by default 200 with a JWKS without keys. */
export interface JwksAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
  /** Nothing is sent before this. */
  readonly after?: Promise<unknown>
  readonly delayMs?: number
  /** The body goes out byte by byte, with such a pause between them. */
  readonly dripMs?: number
  /** The body is sent again and again until the other side hangs up. */
  readonly isEndless?: boolean
  /** The very bytes of the whole answer instead; the connection then stays open. */
  readonly raw?: string | Buffer
}

export interface JwksServerOptions {
  /** Certificate and key; without them it speaks http. */
  readonly tls?: ServerOptions
  /** A loopback address. */
  readonly host?: string
}

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

export interface JwksServer {
  readonly port: number
  /** The endpoint, under the address it listens on or another name for it. */
  url(host?: string): string
  /** How many requests have come. */
  readonly hits: number
  /** How many connections, requests or not. */
  readonly connections: number
  readonly requests: readonly SeenRequest[]
  /** Bytes handed to connections that are closed by now. */
  readonly sentBytes: number
  /** The answers to the next requests, in order; the last one stays. */
  answer(...answers: readonly JwksAnswer[]): void
  /** Answers with these entries from now on. */
  publish(...keys: readonly { readonly jwk: unknown }[]): void
  /** Resolves when no connection is open any more. */
  whenIdle(): Promise<void>
  close(): Promise<void>
}

/** A key provider on loopback that does what a script says and counts what it is asked. */
export async function startJwksServer({ tls, host = '127.0.0.1' }: JwksServerOptions = {}): Promise<JwksServer> {
  const requests: SeenRequest[] = []
  const open = new Set<Socket>()
  let script: JwksAnswer[] = [{}]
  let connections = 0
  let sentBytes = 0
  let onIdle: (() => void)[] = []

  const listener: RequestListener = (request, response) => {
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers })
    const answer = (script.length > 1 ? script.shift() : script[0]) ?? {}
    send(response, answer).catch(() => response.destroy())
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.on('connection', (socket: Socket) => {
    connections++
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      sentBytes += socket.bytesWritten
      if (open.size === 0) for (const resolve of onIdle.splice(0)) resolve()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo

  return {
    port,
    url: (name = host) => `${tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}/jwks`,
    get hits() {
      return requests.length
    },
    get connections() {
      return connections
    },
    get sentBytes() {
      return sentBytes
    },
    requests,
    answer: (...answers) => {
      script = [...answers]
    },
    publish: (...keys) => {
      script = [{ body: { keys: keys.map(({ jwk }) => jwk) } }]
    },
    whenIdle: () =>
      new Promise((resolve) => {
        if (open.size === 0) resolve()
        else onIdle = [...onIdle, resolve]
      }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

async function send(response: ServerResponse, answer: JwksAnswer): Promise<void> {
  const { status = 200, headers, body = { keys: [] }, raw, after, delayMs } = answer
  await after
  if (delayMs !== undefined) await sleep(delayMs)
  if (raw !== undefined) {
    response.socket?.write(raw)
    return
  }
  const bytes = Buffer.from(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  await pipeline(Readable.from(parts(bytes, answer), { objectMode: false }), response)
}

async function* parts(bytes: Buffer, { dripMs, isEndless }: JwksAnswer): AsyncGenerator<Buffer> {
  if (dripMs === undefined) {
    do yield bytes
    while (isEndless)
    return
  }
  for (const byte of bytes) {
    yield Buffer.from([byte])
    await sleep(dripMs)
  }
}
