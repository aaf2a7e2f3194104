import { connect, type TLSSocket } from 'node:tls'

export interface Load {
  readonly port: number
  readonly ca: string
  readonly connections: number
  readonly seconds: number
  /** The next request, whole. */
  request(): string
  readonly expectStatus: number
  /** Ends after so many requests even if there is time left. */
  readonly maxRequests?: number
}

export interface LoadResult {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly bytesPerAnswer: number
}

/** Sends requests over keep-alive TLS connections, each connection one after the other, and measures what comes back. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => openConnection(load)))
  const latencies: number[] = []
  let bytes = 0
  let begun = 0
  const started = performance.now()
  const end = started + load.seconds * 1000
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end && begun < (load.maxRequests ?? Number.POSITIVE_INFINITY)) {
        begun++
        const sent = performance.now()
        const { status, length, body } = await connection.ask(load.request())
        if (status !== load.expectStatus) throw new Error(`expected ${load.expectStatus}, got ${status}: ${body()}`)
        latencies.push(performance.now() - sent)
        bytes += length
      }
      connection.close()
    }),
  )
  const seconds = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    bytesPerAnswer: Math.round(bytes / latencies.length),
  }
}

/** Sends one request and gives back the JSON of its answer. */
export async function askOnce(target: { port: number; ca: string }, request: string): Promise<unknown> {
  const connection = await openConnection(target)
  const { body } = await connection.ask(request)
  connection.close()
  return JSON.parse(body())
}

interface LoadAnswer {
  readonly status: number
  readonly length: number
  body(): string
}

export interface LoadConnection {
  /** Sends a whole request and waits for its answer; one at a time. */
  ask(request: string): Promise<LoadAnswer>
  close(): void
}

/** One keep-alive connection that costs the client as little as possible. */
export async function openConnection(target: { port: number; ca: string }): Promise<LoadConnection> {
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

function open({ port, ca }: { port: number; ca: string }): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca, servername: 'localhost' }, () => resolve(socket))
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

/** Takes one answer after the other from a connection; every answer must carry a Content-Length. */
class AnswerReader {
  #buffered: Buffer = Buffer.alloc(0)
  #wake: (() => void) | undefined

  constructor(socket: TLSSocket) {
    socket.on('data', (chunk: Buffer) => {
      this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
      this.#wake?.()
    })
  }

  async next(): Promise<LoadAnswer> {
    for (;;) {
      const answer = this.#take()
      if (answer) return answer
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
