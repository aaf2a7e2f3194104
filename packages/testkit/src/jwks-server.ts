import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** One scripted response: by default 200 with an empty JWKS. */
export interface JwksResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Text and bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown
  /** Nothing is sent before this resolves. */
  readonly after?: Promise<unknown>
  readonly delayMs?: number
  /** Sends the body byte by byte with this pause between bytes. */
  readonly dripMs?: number
  /** Repeats the body until the client closes the connection. */
  readonly isEndless?: boolean
  /** The exact bytes of the whole response instead; the connection stays open. */
  readonly raw?: string | Buffer
}

export interface JwksServerOptions {
  /** Certificate and key; plain HTTP without them. */
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
  /** The endpoint's URL, with the listening address or another host name. */
  url(host?: string): string
  /** The number of requests received. */
  readonly hits: number
  /** The number of connections, also those without a request. */
  readonly connections: number
  readonly requests: readonly SeenRequest[]
  /** Bytes sent on connections that are closed by now. */
  readonly sentBytes: number
  /** Sets the responses to the next requests, in order; the last one repeats. */
  respondWith(...responses: readonly JwksResponse[]): void
  /** Publishes these keys from now on. */
  publish(...keys: readonly { readonly jwk: unknown }[]): void
  /** Resolves when no connection is open. */
  whenIdle(): Promise<void>
  close(): Promise<void>
}

/** A scripted JWKS endpoint on loopback that counts its requests. */
export async function startJwksServer({ tls, host = '127.0.0.1' }: JwksServerOptions = {}): Promise<JwksServer> {
  const requests: SeenRequest[] = []
  const open = new Set<Socket>()
  let script: JwksResponse[] = [{}]
  let connections = 0
  let sentBytes = 0
  let onIdle: (() => void)[] = []

  const listener: RequestListener = (request, response) => {
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers })
    const scripted = (script.length > 1 ? script.shift() : script[0]) ?? {}
    send(response, scripted).catch(() => response.destroy())
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
    respondWith: (...responses) => {
      script = [...responses]
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

async function send(response: ServerResponse, scripted: JwksResponse): Promise<void> {
  const { status = 200, headers, body = { keys: [] }, raw, after, delayMs } = scripted
  await after
  if (delayMs !== undefined) await sleep(delayMs)
  if (raw !== undefined) {
    response.socket?.write(raw)
    return
  }
  const bytes = Buffer.from(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  await pipeline(Readable.from(parts(bytes, scripted), { objectMode: false }), response)
}

async function* parts(bytes: Buffer, { dripMs, isEndless }: JwksResponse): AsyncGenerator<Buffer> {
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
