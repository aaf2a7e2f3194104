import { connect, type TLSSocket } from 'node:tls'

/** Where to connect to, and from which address of this machine if not the usual one. */
export interface Address {
  readonly port: number
  readonly ca: string
  readonly localAddress?: string
}

interface LoadAnswer {
  readonly status: number
  readonly length: number
  body(): string
}

export interface LoadConnection {
  /** Sends a whole request and waits for its answer; one at a time. Fails when the connection ends before. */
  ask(request: string): Promise<LoadAnswer>
  close(): void
}

/** One keep-alive connection that costs the client as little as possible. */
export async function openConnection(target: Address): Promise<LoadConnection> {
  const socket = await open(target)
  const reader = new AnswerReader(socket)
  return {
    ask: (request) => {
      socket.write(request)
      return reader.next()
    },
    close: () => void socket.end(),
  }
}

/** Sends one request and gives back its status and the JSON of its answer. */
export async function askOnce(target: Address, request: string): Promise<{ status: number; json: unknown }> {
  const connection = await openConnection(target)
  const { status, body } = await connection.ask(request)
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
  readonly end: number
  /** Of the whole answer. */
  readonly total: number
}

/** Takes one answer after the other from a connection; every answer must carry a Content-Length. */
class AnswerReader {
  #chunks: Buffer[] = []
  #length = 0
  #head: Head | undefined
  #isOver = false
  #wake: (() => void) | undefined

  constructor(socket: TLSSocket) {
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#length += chunk.length
      if (this.#length >= (this.#head?.total ?? 0)) this.#wake?.()
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      this.#isOver = true
      this.#wake?.()
    })
  }

  async next(): Promise<LoadAnswer> {
    for (;;) {
      const answer = this.#take()
      if (answer) return answer
      if (this.#isOver) throw new Error('the connection ended before the answer')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #take(): LoadAnswer | undefined {
    if (this.#length === 0) return undefined
    const [only] = this.#chunks
    const buffered = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#length)
    this.#chunks = [buffered]
    this.#head ??= readHead(buffered)
    if (!this.#head || buffered.length < this.#head.total) return undefined
    const { status, end, total } = this.#head
    this.#head = undefined
    this.#chunks = buffered.length > total ? [buffered.subarray(total)] : []
    this.#length = buffered.length - total
    return { status, length: total, body: () => buffered.toString('utf8', end, total) }
  }
}

function readHead(buffered: Buffer): Head | undefined {
  const headEnd = buffered.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const text = buffered.toString('latin1', 0, headEnd)
  const end = headEnd + 4
  return { status: Number(text.slice(9, 12)), end, total: end + Number(/content-length: (\d+)/i.exec(text)?.[1]) }
}
