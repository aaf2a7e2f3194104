import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '@countersign/core'
import { request } from '../platform/node-http.ts'
import type { Settings } from '../platform/settings/index.ts'
import { createConnect } from './connect.ts'
import { createDeadline } from './deadline.ts'
import { createJwksEndpointPolicy } from './jwks-endpoint-policy.ts'
import { limitInterim } from './limit-interim.ts'
import { OutboundError } from './outbound-error.ts'
import { readResponse } from './read-response.ts'
import type { Lookup } from './resolve-host.ts'

export interface FetchOptions {
  /** An additional trusted CA, PEM. */
  readonly caPem?: string | undefined
  readonly accept: string
  /** The accepted media types, lower case. */
  readonly mediaTypes: readonly string[]
  /** In whose name the document is fetched. One owner looks up one name at a time. */
  readonly owner?: string | undefined
  /** The header `Authorization` of a GET. A redirect to another origin is requested without it. */
  readonly authorization?: string | undefined
  /** Aborts the fetch. */
  readonly signal?: AbortSignal
  /** By default a GET without a body. */
  readonly send?: SentDocument
  /** The ETag of a known version. If the document has not changed, the result is `isUnchanged` and has no body. */
  readonly ifNoneMatch?: string | undefined
  /** The accepted statuses, by default 200. A response with 204 needs no media type. */
  readonly statuses?: readonly number[]
}

/** A request with a credential or a body. It is never retried or redirected: the first request may have had an effect. */
export interface SentDocument {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly json?: object
  /** Sent form-encoded instead, as token endpoints require. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent as it is instead. */
  readonly text?: { readonly type: string; readonly content: string }
  /** Bearer token for the server. */
  readonly bearer?: string | undefined
  /** Further headers, such as those of a signature. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface FetchedDocument {
  /** Only of requests that were sent with `send`. */
  readonly status?: number | undefined
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
  readonly isUnchanged?: true
}

export type FetchDocument = (url: string, options: FetchOptions) => Promise<FetchedDocument>

export interface FetchLimits {
  readonly totalMs: number
  /** For DNS and the TCP connection, before TLS. */
  readonly connectMs: number
  readonly maxBytes: number
  /** For GET requests only. */
  readonly maxRedirects: number
}

export interface FetcherParts {
  readonly settings: Pick<Settings, 'jwks' | 'dev'>
  readonly lookup?: Lookup
  /** Overrides the limits of the settings. */
  readonly limits?: Partial<FetchLimits>
  /** Milliseconds since an arbitrary start. */
  readonly elapsedMs?: () => number
}

const MAX_HEADER_BYTES = 16_384
const NOT_MODIFIED = 304

export function fetchLimits(settings: Settings['jwks']): FetchLimits {
  const { fetchSeconds, connectSeconds, maxBodyBytes: maxBytes, maxRedirects } = settings
  return { totalMs: fetchSeconds * 1000, connectMs: connectSeconds * 1000, maxBytes, maxRedirects }
}

/**
 * Creates the function that makes all outbound requests: each on a separate connection, to checked addresses only, without proxy, cookies or
 * compression, within limits of time and size. Redirects are followed only if the settings allow it; each target is checked like the first URL.
 * Rejects only with `OutboundError`.
 */
export function createFetchDocument({ settings, lookup, limits, elapsedMs }: FetcherParts): FetchDocument {
  const { totalMs, connectMs, maxBytes, maxRedirects } = { ...fetchLimits(settings.jwks), ...limits }
  const endpointPolicy = createJwksEndpointPolicy(settings)
  const connect = createConnect({ settings, lookup, connectMs, elapsedMs })

  return async (text, options) => {
    const { accept, mediaTypes, signal, send, statuses, ifNoneMatch } = options
    let url = checkedUrl(text, endpointPolicy.checkEndpoint)
    let { authorization } = options
    const deadline = createDeadline(signal)
    deadline.limit(totalMs, `no response from ${url.host}`)
    let socket: Socket | undefined
    try {
      for (let redirectsLeft = send ? 0 : maxRedirects; ; redirectsLeft -= 1) {
        socket = await connect(url, options, deadline)
        const response = await deadline.race(sendRequest(url, socket, { accept, ifNoneMatch, authorization }, send))
        if (ifNoneMatch !== undefined && response.statusCode === NOT_MODIFIED) {
          return { body: Buffer.alloc(0), headers: response.headers, isUnchanged: true }
        }
        const next = redirectsLeft > 0 ? redirectTarget(response, url) : undefined
        if (next === undefined) {
          const body = await deadline.race(readResponse(response, { mediaTypes, maxBytes, statuses }))
          return { ...(send && { status: response.statusCode }), body, headers: response.headers }
        }
        socket.destroy()
        const target = checkedRedirect(next, endpointPolicy.checkEndpoint)
        if (target.origin !== url.origin) authorization = undefined
        url = target
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

/** Returns the absolute redirect target; undefined when the response is not a redirect. */
function redirectTarget({ statusCode, headers }: IncomingMessage, from: URL): string | undefined {
  const { location } = headers
  return REDIRECTS.includes(statusCode) && location !== undefined ? URL.parse(location, from.href)?.href : undefined
}

function checkedRedirect(target: string, checkEndpoint: (endpoint: string) => void): URL {
  try {
    return checkedUrl(target, checkEndpoint)
  } catch (error) {
    // The message omits the reason, which would quote what the server sent.
    throw new OutboundError('redirect', 'the response redirects to a refused address', { cause: error })
  }
}

export function checkedUrl(text: string, checkEndpoint: (endpoint: string) => void): URL {
  try {
    checkEndpoint(text)
    return new URL(text)
  } catch (error) {
    const cause = error instanceof AppError ? error.publicCause : undefined
    const why = cause && 'message' in cause ? cause.message : 'the outbound policy refuses this URL'
    throw new OutboundError('endpoint-refused', why, { cause: error })
  }
}

/** Sends the request and waits for the response head. Without an agent, connections are not pooled and no proxy is used. */
function sendRequest(
  url: URL,
  socket: Socket,
  { accept, ifNoneMatch, authorization }: Pick<FetchOptions, 'accept' | 'ifNoneMatch' | 'authorization'>,
  send: SentDocument | undefined,
): Promise<IncomingMessage> {
  const content = send && contentOf(send)
  return new Promise((resolve, reject) => {
    const sent = request({
      createConnection: () => socket,
      method: send?.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      setHost: false,
      headers: {
        host: url.host,
        accept,
        ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
        ...(authorization !== undefined && { authorization }),
        'accept-encoding': 'identity',
        'user-agent': 'countersign',
        connection: 'close',
        ...(content && { 'content-type': content.type, 'content-length': content.bytes.length }),
        ...(send?.bearer !== undefined && { authorization: `Bearer ${send.bearer}` }),
        ...send?.headers,
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
      .on('response', resolve)
      .on('upgrade', () => reject(new Error('the connection was upgraded')))
      .on('error', reject)
    limitInterim(sent, url.host).end(content?.bytes)
  })
}

function contentOf({ json, form, text }: SentDocument): { readonly type: string; readonly bytes: Buffer } | undefined {
  if (text) return { type: text.type, bytes: Buffer.from(text.content) }
  if (json) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) }
  if (!form) return undefined
  return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(new URLSearchParams(form).toString()) }
}

export function asOutboundError(error: unknown, url: URL): OutboundError {
  if (error instanceof OutboundError) return error
  return new OutboundError('protocol', `${url.host} sent no valid HTTP response`, { cause: error })
}
