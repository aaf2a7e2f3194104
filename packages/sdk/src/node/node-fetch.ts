import { request as requestHttp } from 'node:http'
import { Agent, request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { rootCertificates } from 'node:tls'

export interface NodeFetchOptions {
  /** CAs to trust in addition to the built-in ones, in PEM. */
  readonly ca?: string | undefined
  /** Trust only the CAs of `ca`. */
  readonly onlyCa?: boolean | undefined
  /** A client certificate with its intermediates, and its key, in PEM. */
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

/** `Response` refuses a body for these statuses. */
const BODILESS = new Set([204, 205, 304])

/**
 * A `fetch` for `ControllerClient` and `HostedClient` that trusts the given CA and presents a client certificate, which the
 * global one cannot. Bodies are text; redirects are never followed.
 */
export function createNodeFetch({ ca, onlyCa = false, cert, key }: NodeFetchOptions): typeof globalThis.fetch {
  const agent = new Agent({
    keepAlive: true,
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    // With `onlyCa`, an intermediate CA can be the trust anchor.
    ...(ca !== undefined && (onlyCa ? { ca, allowPartialTrustChain: true } : { ca: [...rootCertificates, ca] })),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  })
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input)
      const options = {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.signal && { signal: init.signal }),
      }
      const request = url.protocol === 'https:' ? requestHttps(url, { ...options, agent }) : requestHttp(url, options)
      request.once('error', reject)
      request.once('response', (incoming) => {
        const status = incoming.statusCode ?? 0
        const headers = new Headers()
        for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
          headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '')
        }
        if (status < 200 || status > 599) {
          // `Response` would throw here, where only the process could catch it.
          incoming.destroy()
          reject(new TypeError(`the server responded with the status ${status}`))
          return
        }
        const isBodiless = BODILESS.has(status)
        if (isBodiless) incoming.resume()
        const body = isBodiless ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
        resolve(new Response(body, { status, headers }))
      })
      request.end(init.body ?? undefined)
    })
}
