import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Settings } from '../platform/settings/index.ts'
import { createConnect } from './connect.ts'
import { createDeadline } from './deadline.ts'
import { asOutboundError, checkedUrl, fetchLimits } from './fetch-document.ts'
import { createJwksEndpointPolicy } from './jwks-endpoint-policy.ts'
import { OutboundError } from './outbound-error.ts'
import type { Lookup } from './resolve-host.ts'

export interface Message {
  /** In whose name it is sent. Owners share no connections. */
  readonly owner: string
  readonly type: string
  readonly content: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
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
  const agents = new Map<string, Agent>()

  const agentOf = (url: URL, owner: string): Agent => {
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

  const attempt = async (url: URL, message: Message): Promise<number> => {
    const deadline = createDeadline(message.signal)
    deadline.limit(totalMs, `no response from ${url.host}`)
    try {
      return await post(url, message, { agent: agentOf(url, message.owner), signal: deadline.signal })
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      throw error
    } finally {
      deadline.end()
    }
  }

  return {
    send: async (text, message) => {
      const url = checkedUrl(text, endpointPolicy.checkEndpoint)
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
  { agent, signal }: { readonly agent: Agent; readonly signal: AbortSignal },
): Promise<number> {
  const bytes = Buffer.from(content)
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request({
      agent,
      signal,
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
        'content-length': bytes.length,
        ...headers,
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
      .on('response', (response) => readStatus(response).then(resolve, reject))
      .on('upgrade', () => reject(new Error('the connection was upgraded')))
      .on('error', (error) => reject(sent.reusedSocket ? new ReusedConnectionError(error.message) : error))
    sent.end(bytes)
  })
}

/** The status of a 2xx response, once its body has been passed over. */
async function readStatus(response: IncomingMessage): Promise<number> {
  const status = response.statusCode ?? 0
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MAX_BODY_BYTES) response.destroy()
  }
  if (status >= 200 && status < 300) return status
  const reason = status >= 300 && status < 400 ? 'redirect' : 'status'
  throw new OutboundError(reason, `the response was HTTP ${status}, not 2xx`, { status })
}
