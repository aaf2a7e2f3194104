import { once } from 'node:events'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

/** One response: header names in lower case, repeated headers joined by commas. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly json: any
}

/** A connection that sends exactly the given bytes. Ordinary clients would correct malformed requests. */
export interface RawConnection {
  readonly socket: TLSSocket
  send(bytes: string | Buffer): void
  /** Reads the next response, also interim ones (100). Rejects when the connection ends before it is complete or at the timeout. */
  readResponse(withinMs?: number): Promise<RawResponse>
  /** Waits until the server has closed the connection. */
  untilClosed(withinMs?: number): Promise<void>
  close(): void
}

const WAIT_MS = 10_000

/** Connects to a server on this machine over TLS without verifying its certificate. */
export async function openRawHttps(options: ConnectionOptions & { port: number }): Promise<RawConnection> {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return createRawConnection(socket)
}

/** Sends one request on a new connection and returns the response. */
export async function rawRequest(port: number, bytes: string | Buffer): Promise<RawResponse> {
  const connection = await openRawHttps({ port })
  try {
    connection.send(bytes)
    return await connection.readResponse()
  } finally {
    connection.close()
  }
}

function createRawConnection(socket: TLSSocket): RawConnection {
  let received = ''
  let isEnded = false
  let wake = Promise.withResolvers<void>()
  const notify = (): void => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  const ended = (): void => {
    isEnded = true
    notify()
  }
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
    notify()
  })
  socket.on('end', ended).on('close', ended).on('error', ended)

  const until = async <T>(withinMs: number, look: () => T | undefined): Promise<T> => {
    const late = setTimeout(notify, withinMs)
    const deadline = performance.now() + withinMs
    try {
      for (;;) {
        const found = look()
        if (found !== undefined) return found
        if (isEnded) throw new Error(`the connection ended after: ${JSON.stringify(received.slice(0, 400))}`)
        if (performance.now() >= deadline) throw new Error(`nothing more within ${withinMs} ms`)
        await wake.promise
      }
    } finally {
      clearTimeout(late)
    }
  }

  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    readResponse: (withinMs = WAIT_MS) =>
      until(withinMs, () => {
        const parsed = parseResponse(received, isEnded)
        if (parsed) received = received.slice(parsed.length)
        return parsed?.response
      }),
    untilClosed: (withinMs = WAIT_MS) => until(withinMs, () => (isEnded ? null : undefined)).then(() => {}),
    close: () => void socket.destroy(),
  }
}

/** Parses the first response in the text. Returns undefined while it is incomplete. */
function parseResponse(text: string, isEnded: boolean): { response: RawResponse; length: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const rest = text.slice(headEnd + 4)
  const body = parseContent(rest, status, headers, isEnded)
  if (!body) return undefined
  const content = Buffer.from(body.content, 'latin1').toString('utf8')
  const isJson = headers['content-type']?.match(/^application\/(scim\+)?json/) && content !== ''
  const response = { status, headers, body: content, json: isJson ? JSON.parse(content) : undefined }
  return { response, length: headEnd + 4 + body.length }
}

function parseContent(rest: string, status: number, headers: Record<string, string>, isEnded: boolean) {
  if (status < 200 || status === 204) return { content: '', length: 0 }
  const declared = headers['content-length']
  if (declared !== undefined) {
    const length = Number(declared)
    return rest.length >= length ? { content: rest.slice(0, length), length } : undefined
  }
  if (headers['transfer-encoding'] === 'chunked') return parseChunks(rest)
  return isEnded ? { content: rest, length: rest.length } : undefined
}

function parseChunks(rest: string): { content: string; length: number } | undefined {
  let content = ''
  let at = 0
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(rest.slice(at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (rest.length < next) return undefined
    content += rest.slice(lineEnd + 2, lineEnd + 2 + size)
    at = next
    if (size === 0) return { content, length: at }
  }
}
