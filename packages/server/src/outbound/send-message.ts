import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Agent, request } from '../platform/node-http.ts'
import type { Settings } from '../platform/settings/index.ts'
import { createConnect } from './connect.ts'
import { createDeadline } from './deadline.ts'
import { asOutboundError, checkedUrl, fetchLimits } from './fetch-document.ts'
import { createJwksEndpointPolicy } from './jwks-endpoint-policy.ts'
import { limitInterim } from './limit-interim.ts'
import { OutboundError } from './outbound-error.ts'
import type { Lookup } from './resolve-host.ts'

export interface Message {
  /** In whose name it is sent. Owners share no connections. */
  readonly owner: string
  readonly type: string
  readonly content: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** Sends messages whose responses matter only by their status. */
export interface MessageSender {
  /** Resolves to the status when it is 2xx. Rejects only with `OutboundError`, which has the status of another response. */
  send(url: string, message: Message): Promise<number>
  close(): void
}

export interface MessageSenderParts {
  readonly settings: Pick<Settings, 'jwks' | 'dev'>
  readonly lookup?: Lookup
}

const MAX_HEADER_BYTES = 16_384
/** Of a response, which is not read further. */
const MAX_BODY_BYTES = 65_536
const MAX_CONNECTIONS = 8
const IDLE_MS = 30_000
const MAX_OWNERS = 64

/** Posts messages over connections that are kept open: a new one takes ten times as long as a message. The rules of all outbound requests apply. */
export function createMessageSender({ settings, lookup }: MessageSenderParts): MessageSender {
  const { totalMs, connectMs } = fetchLimits(settings.jwks)
  const endpointPolicy = createJwksEndpointPolicy(settings)
  const connect = createConnect({ settings, lookup, connectMs })
  const agents = new Map<string, CheckedAgent>()

  const agentOf = (url: URL, owner: string): CheckedAgent => {
    const key = `${owner} ${url.origin}`
    const known = agents.get(key)
    if (known) return known
    const [oldest] = agents.keys()
    if (agents.size >= MAX_OWNERS && oldest !== undefined) {
      agents.get(oldest)?.destroy()
      agents.delete(oldest)
    }
    const agent = new CheckedAgent((onSocket) => {
      const deadline = createDeadline(undefined)
      deadline.limit(totalMs, `no connection to ${url.host}`)
      connect(url, { owner }, deadline)
        .finally(() => deadline.end())
        .then(
          (socket) => onSocket(null, socket),
          (error: Error) => onSocket(error),
        )
    })
    agents.set(key, agent)
    return agent
  }

  const attempt = (url: URL, message: Message): Promise<number> =>
    post(url, message, { agent: agentOf(url, message.owner), totalMs })

  /** The rules for URLs do not change while the controller runs. */
  const checked = new Map<string, URL>()
  const check = (text: string): URL => {
    const known = checked.get(text)
    if (known) return known
    const url = checkedUrl(text, endpointPolicy.checkEndpoint)
    if (checked.size >= MAX_OWNERS) checked.clear()
    checked.set(text, url)
    return url
  }

  return {
    send: async (text, message) => {
      const url = check(text)
      try {
        return await attempt(url, message).catch((error: unknown) => {
          // The server may close a connection at the moment it is used again.
          if (error instanceof ReusedConnectionError) return attempt(url, message)
          throw error
        })
      } catch (error) {
        throw asOutboundError(error, url)
      }
    },
    close: () => {
      for (const agent of agents.values()) agent.destroy()
      agents.clear()
    },
  }
}

class ReusedConnectionError extends Error {}

type OnSocket = (error: Error | null, socket?: Duplex) => void

/** Keeps connections open, and opens them as it is given. */
class CheckedAgent extends Agent {
  readonly #open: (onSocket: OnSocket) => void

  constructor(open: (onSocket: OnSocket) => void) {
    super({ keepAlive: true, maxSockets: MAX_CONNECTIONS, timeout: IDLE_MS })
    this.#open = open
  }

  override createConnection(_options: object, onSocket: OnSocket): undefined {
    this.#open(onSocket)
  }
}

function post(
  url: URL,
  { type, content, headers }: Message,
  { agent, totalMs }: { readonly agent: CheckedAgent; readonly totalMs: number },
): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    // A signal of its own would cost a message a fifth more.
    const timer = setTimeout(() => {
      const error = new OutboundError('timeout', `no response from ${url.host} within ${totalMs / 1000} s`)
      reject(error)
      sent.destroy(error)
    }, totalMs)
    const end = () => clearTimeout(timer)
    const sent: ClientRequest = request({
      agent,
      method: 'POST',
      host: url.hostname,
      path: `${url.pathname}${url.search}`,
      setHost: false,
      headers: {
        host: url.host,
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'countersign',
        'content-type': type,
        'content-length': Buffer.byteLength(content),
        ...headers,
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
      .on('close', end)
      .on('response', (response) => readStatus(response, resolve, reject))
      .on('upgrade', (_response, socket) => {
        // It no longer belongs to the agent, which would close it.
        socket.destroy()
        reject(new Error('the connection was upgraded'))
      })
      .on('error', (error) => reject(sent.reusedSocket ? new ReusedConnectionError(error.message) : error))
    limitInterim(sent, url.host)
    // As a text, it is written together with the head.
    sent.end(content)
  })
}

/** Resolves to the status of a 2xx response, once its body has been passed over. */
function readStatus(
  response: IncomingMessage,
  resolve: (status: number) => void,
  reject: (error: unknown) => void,
): void {
  const status = response.statusCode ?? 0
  let size = 0
  response
    .on('data', (part: Buffer) => {
      size += part.length
      if (size > MAX_BODY_BYTES) response.destroy(new Error('the body of the response is too long'))
    })
    .on('error', reject)
    .on('end', () => {
      if (status >= 200 && status < 300) return resolve(status)
      const reason = status >= 300 && status < 400 ? 'redirect' : 'status'
      reject(new OutboundError(reason, `the response was HTTP ${status}, not 2xx`, { status }))
    })
}
