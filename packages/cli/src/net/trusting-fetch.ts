import { request as requestPlain } from 'node:http'
import { request } from 'node:https'
import { Readable } from 'node:stream'
import { rootCertificates } from 'node:tls'

/** Whom a connection trusts, and what it shows of itself. */
export interface Trust {
  /** The controller; only there is the client certificate shown, and only `caPem` trusted. */
  readonly origin: string
  /** What the controller's certificate must lead to; unset: what this machine trusts anyway. */
  readonly caPem?: string | undefined
  readonly certPem?: string | undefined
  readonly keyPem?: string | undefined
}

/** Statuses whose answers have no body, in the words of the fetch standard. */
const NO_BODY = [101, 204, 205, 304]

/**
 * Creates a `fetch` that trusts a CA of its own and can show a client certificate, both of which the global one cannot. It
 * never follows a redirect, so that credentials stay where they were meant to go. There is no way to check less.
 */
export function createTrustingFetch(trust: Trust): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const headers = new Headers(init.headers)
    const body = readBody(init.body, headers)
    init.signal?.throwIfAborted()
    return new Promise<Response>((resolve, reject) => {
      const send = url.protocol === 'https:' ? request : requestPlain
      const outgoing = send(url, {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(headers),
        ...(init.signal && { signal: init.signal }),
        ...(url.protocol === 'https:' && buildTls(trust, url)),
      })
      outgoing.once('error', (cause) =>
        reject(init.signal?.aborted ? init.signal.reason : new TypeError('fetch failed', { cause })),
      )
      outgoing.once('response', (incoming) => {
        const { statusCode: status = 500, statusMessage: statusText = '' } = incoming
        if (init.redirect !== 'manual' && status >= 300 && status < 400 && incoming.headers.location !== undefined) {
          incoming.destroy()
          reject(new TypeError('fetch failed', { cause: new Error('unexpected redirect') }))
          return
        }
        const answered = new Headers()
        for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
          answered.append(incoming.rawHeaders[index] ?? '', incoming.rawHeaders[index + 1] ?? '')
        }
        const content = NO_BODY.includes(status) ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
        resolve(new Response(content, { status, statusText, headers: answered }))
      })
      outgoing.end(body)
    })
  }
}

function buildTls(trust: Trust, url: URL) {
  const { origin, caPem, certPem: cert, keyPem: key } = trust
  if (url.origin !== origin) return caPem === undefined ? {} : { ca: [...rootCertificates, caPem] }
  return {
    // A pinned certificate need not be a root.
    ...(caPem !== undefined && { ca: caPem, allowPartialTrustChain: true }),
    ...(cert !== undefined && { cert, key }),
  }
}

function readBody(body: unknown, headers: Headers): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined
  if (body instanceof URLSearchParams) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
    return body.toString()
  }
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  throw new TypeError('only text and bytes are sent')
}
