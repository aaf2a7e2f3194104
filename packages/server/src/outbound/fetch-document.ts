import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '@countersign/core'
import type { Settings } from '../platform/settings/index.ts'
import { createAddressPolicy } from './address-policy.ts'
import { type DialTarget, dialTcp, secure } from './dial.ts'
import { comparableHost } from './host-patterns.ts'
import { createJwksEndpointPolicy } from './jwks-endpoint-policy.ts'
import { OutboundError } from './outbound-error.ts'
import { readAnswer } from './read-answer.ts'
import { createHostResolver, type Lookup } from './resolve-host.ts'
import { createTrustedRoots } from './trusted-roots.ts'

export interface FetchOptions {
  /** One more CA to trust, PEM. */
  readonly caPem?: string | undefined
  readonly accept: string
  /** The media types that are taken, lower case. */
  readonly mediaTypes: readonly string[]
  /** The caller no longer wants it. */
  readonly signal?: AbortSignal
  /** What is sent; a plain GET unless given. */
  readonly send?: SentDocument
  /** The good ones; 200 unless given. One that has no content has no media type either. */
  readonly statuses?: readonly number[]
}

/** A request that changes something at the other side. It is never sent twice: nobody knows what the first one did. */
export interface SentDocument {
  readonly method: 'POST' | 'DELETE'
  readonly json?: object
  /** Sent as a form instead, which is what token endpoints take. */
  readonly form?: Readonly<Record<string, string>>
  /** Bearer token for the other side. */
  readonly bearer?: string | undefined
}

export interface FetchedDocument {
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
}

export type FetchDocument = (url: string, options: FetchOptions) => Promise<FetchedDocument>

export interface FetchLimits {
  readonly totalMs: number
  /** For the name and the connection, before TLS. */
  readonly connectMs: number
  readonly maxBytes: number
  /** Of what is only read. */
  readonly maxRedirects: number
}

export interface FetcherParts {
  readonly settings: Pick<Settings, 'jwks' | 'dev'>
  readonly lookup?: Lookup
  /** Instead of those of the settings. */
  readonly limits?: Partial<FetchLimits>
}

const MAX_HEADER_BYTES = 16_384

export function fetchLimits(settings: Settings['jwks']): FetchLimits {
  const { fetchSeconds, connectSeconds, maxBodyBytes: maxBytes, maxRedirects } = settings
  return { totalMs: fetchSeconds * 1000, connectMs: connectSeconds * 1000, maxBytes, maxRedirects }
}

/**
 * Makes the one function by which other servers are spoken to: one request on a connection of its own, to checked addresses only,
 * without proxy, cookies or compression, within limits of time and size. Redirects are followed only where the settings say so, each as if it
 * had been asked for in the first place.
 * Rejects with `OutboundError` and nothing else.
 */
export function createFetchDocument({ settings, lookup, limits }: FetcherParts): FetchDocument {
  const { totalMs, connectMs, maxBytes, maxRedirects } = { ...fetchLimits(settings.jwks), ...limits }
  const endpointPolicy = createJwksEndpointPolicy(settings)
  const addressPolicy = createAddressPolicy({ ...settings.jwks, allowLoopback: settings.dev })
  const resolveHost = createHostResolver(lookup)
  const trustedRoots = createTrustedRoots()

  const connect = async (url: URL, caPem: string | undefined, deadline: Deadline): Promise<Socket> => {
    const host = comparableHost(url.hostname.replace(/^\[|\]$/g, ''))
    const stopWaiting = deadline.limit(connectMs, `${host} could not be connected to`)
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    const addresses = await deadline.orGiveUp(resolveHost(host, deadline.signal))
    const target: DialTarget = { host, port, addresses }
    const socket = await dialTcp(target, addressPolicy, deadline.signal)
    stopWaiting()
    return url.protocol === 'https:' ? secure(socket, target, trustedRoots(caPem), deadline.signal) : socket
  }

  return async (text, { caPem, accept, mediaTypes, signal, send, statuses }) => {
    let url = checkedUrl(text, endpointPolicy.checkEndpoint)
    const deadline = createDeadline(signal)
    deadline.limit(totalMs, `${url.host} did not answer`)
    let socket: Socket | undefined
    try {
      for (let redirectsLeft = send ? 0 : maxRedirects; ; redirectsLeft -= 1) {
        socket = await connect(url, caPem, deadline)
        const answer = await deadline.orGiveUp(ask(url, socket, accept, send))
        const next = redirectsLeft > 0 ? redirectTarget(answer, url) : undefined
        if (next === undefined) {
          const body = await deadline.orGiveUp(readAnswer(answer, { mediaTypes, maxBytes, statuses }))
          return { body, headers: answer.headers }
        }
        socket.destroy()
        url = checkedRedirect(next, endpointPolicy.checkEndpoint)
      }
    } catch (error) {
      throw asOutboundError(error, url)
    } finally {
      deadline.end()
      socket?.destroy()
    }
  }
}

const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

/** Where an answer sends whoever asked; undefined where it sends nobody anywhere. */
function redirectTarget({ statusCode, headers }: IncomingMessage, from: URL): string | undefined {
  const { location } = headers
  return REDIRECTS.includes(statusCode) && location !== undefined ? URL.parse(location, from.href)?.href : undefined
}

function checkedRedirect(target: string, checkEndpoint: (endpoint: string) => void): URL {
  try {
    return checkedUrl(target, checkEndpoint)
  } catch (error) {
    // Why is not told: it would repeat what the other side sent.
    throw new OutboundError('redirect', 'the answer was a redirect to where nothing is fetched from', { cause: error })
  }
}

function checkedUrl(text: string, checkEndpoint: (endpoint: string) => void): URL {
  try {
    checkEndpoint(text)
    return new URL(text)
  } catch (error) {
    const cause = error instanceof AppError ? error.publicCause : undefined
    const why = cause && 'message' in cause ? cause.message : 'it is no address that is fetched from'
    throw new OutboundError('endpoint-refused', why, { cause: error })
  }
}

/** Sends the request and waits for the head of the answer. No agent: none could pool the connection, or know a proxy. */
function ask(url: URL, socket: Socket, accept: string, send: SentDocument | undefined): Promise<IncomingMessage> {
  const content = send && contentOf(send)
  return new Promise((resolve, reject) => {
    request({
      createConnection: () => socket,
      method: send?.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      setHost: false,
      headers: {
        host: url.host,
        accept,
        'accept-encoding': 'identity',
        'user-agent': 'countersign',
        connection: 'close',
        ...(content && { 'content-type': content.type, 'content-length': content.bytes.length }),
        ...(send?.bearer !== undefined && { authorization: `Bearer ${send.bearer}` }),
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
      .on('response', resolve)
      .on('upgrade', () => reject(new Error('the connection was upgraded')))
      .on('error', reject)
      .end(content?.bytes)
  })
}

function contentOf({ json, form }: SentDocument): { readonly type: string; readonly bytes: Buffer } | undefined {
  if (json) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) }
  if (!form) return undefined
  return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(new URLSearchParams(form).toString()) }
}

interface Deadline {
  readonly signal: AbortSignal
  /** Gives up after so long, unless what is answered is called before. */
  limit(ms: number, message: string): () => void
  /** The same promise, or the rejection that stands for giving up, whichever is first. */
  orGiveUp<T>(work: Promise<T>): Promise<T>
  end(): void
}

function createDeadline(callers: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  const { signal } = controller
  const timers: NodeJS.Timeout[] = []
  const stop = (): void => controller.abort(new OutboundError('stopped', 'the fetch was called off'))
  if (callers?.aborted) stop()
  callers?.addEventListener('abort', stop)
  const gaveUp = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
  gaveUp.catch(() => {})
  return {
    signal,
    limit: (ms, message) => {
      const timer = setTimeout(() => {
        controller.abort(new OutboundError('timeout', `${message} within ${ms / 1000} s`))
      }, ms)
      timers.push(timer)
      return () => clearTimeout(timer)
    },
    orGiveUp: (work) => {
      work.catch(() => {})
      return Promise.race([work, gaveUp])
    },
    end: () => {
      callers?.removeEventListener('abort', stop)
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

function asOutboundError(error: unknown, url: URL): OutboundError {
  if (error instanceof OutboundError) return error
  return new OutboundError('protocol', `${url.host} gave no proper HTTP answer`, { cause: error })
}
