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

/** Takes one answer after the other from a connection; every answer must carry a Content-Length. */
class AnswerReader {
  #buffered: Buffer = Buffer.alloc(0)
  #isOver = false
  #wake: (() => void) | undefined

  constructor(socket: TLSSocket) {
    socket.on('data', (chunk: Buffer) => {
      this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
      this.#wake?.()
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

  #take() {
    const headEnd = this.#buffered.indexOf('\r\n\r\n')
    if (headEnd < 0) return undefined
    const head = this.#buffered.toString('latin1', 0, headEnd)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
    const total = headEnd + 4 + length
    if (this.#buffered.length < total) return undefined
    const answer = this.#buffered.subarray(headEnd + 4, total)
    this.#buffered = this.#buffered.subarray(total)
    return { status: Number(head.slice(9, 12)), length: total, body: () => answer.toString('utf8') }
  }
}
