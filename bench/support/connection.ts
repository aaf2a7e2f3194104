import { connect, type TLSSocket } from 'node:tls'

/** The server's port and CA on 127.0.0.1, and the local address to connect from. */
export interface Address {
  readonly port: number
  readonly ca: string
  readonly localAddress?: string
}

interface LoadResponse {
  readonly status: number
  readonly length: number
  head(): string
  body(): string
}

export interface LoadConnection {
  /** Sends a request and returns its response. One request at a time. Rejects when the connection ends first. */
  send(request: string): Promise<LoadResponse>
  close(): void
}

/** Opens a keep-alive connection with as little client overhead as possible. */
export async function openConnection(address: Address): Promise<LoadConnection> {
  const socket = await open(address)
  const reader = new ResponseReader(socket)
  return {
    send: (request) => {
      socket.write(request)
      return reader.next()
    },
    close: () => void socket.end(),
  }
}

/** Sends one request and returns the status and JSON of the response. */
export async function sendOnce(address: Address, request: string): Promise<{ status: number; json: unknown }> {
  const connection = await openConnection(address)
  const { status, body } = await connection.send(request)
  connection.close()
  return { status, json: JSON.parse(body()) }
}

function open({ port, ca, localAddress }: Address): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const from = localAddress === undefined ? {} : { localAddress }
    const socket = connect({ port, host: '127.0.0.1', ca, servername: 'localhost', ...from }, () => resolve(socket))
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

interface Head {
  readonly status: number
  readonly headLength: number
  readonly responseLength: number
}

/** Reads the responses of a connection in order. Every response but a 204 must have a Content-Length. */
class ResponseReader {
  #chunks: Buffer[] = []
  #length = 0
  #head: Head | undefined
  #isClosed = false
  #wake: (() => void) | undefined

  constructor(socket: TLSSocket) {
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#length += chunk.length
      if (this.#length >= (this.#head?.responseLength ?? 0)) this.#wake?.()
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      this.#isClosed = true
      this.#wake?.()
    })
  }

  async next(): Promise<LoadResponse> {
    for (;;) {
      const response = this.#shift()
      if (response) return response
      if (this.#isClosed) throw new Error('the connection ended before the response')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #shift(): LoadResponse | undefined {
    if (this.#length === 0) return undefined
    const [only] = this.#chunks
    const buffered = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#length)
    this.#chunks = [buffered]
    this.#head ??= readHead(buffered)
    if (!this.#head || buffered.length < this.#head.responseLength) return undefined
    const { status, headLength, responseLength } = this.#head
    this.#head = undefined
    this.#chunks = buffered.length > responseLength ? [buffered.subarray(responseLength)] : []
    this.#length = buffered.length - responseLength
    return {
      status,
      length: responseLength,
      head: () => buffered.toString('latin1', 0, headLength),
      body: () => buffered.toString('utf8', headLength, responseLength),
    }
  }
}

const NO_CONTENT = 204

function readHead(buffered: Buffer): Head | undefined {
  const headEnd = buffered.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const text = buffered.toString('latin1', 0, headEnd)
  const headLength = headEnd + 4
  const status = Number(text.slice(9, 12))
  const contentLength = status === NO_CONTENT ? 0 : Number(/content-length: (\d+)/i.exec(text)?.[1])
  return { status, headLength, responseLength: headLength + contentLength }
}
