import { CODE_HEADER } from '@countersign/contract'

/** Headers that pages of other origins may send. Credentials are not allowed, so the response does not depend on the user. */
const ALLOWED_HEADERS = new Set([
  'content-type',
  'accept',
  'authorization',
  'dpop',
  'if-match',
  'last-event-id',
  'zt-session',
  'ziti-token-issuer-id',
  CODE_HEADER,
])
const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const EXPOSED_HEADERS = [
  ...['zt-session', 'expires-at', 'expiration-seconds', 'etag', 'www-authenticate', 'retry-after'],
  ...['location', 'auth-request-id', 'totp-required', 'dpop-nonce'],
].join(', ')

export interface Cors {
  /** Response headers for a request with this `Origin`. */
  headersFor(origin: string): Record<string, string>
  /** Response headers for a preflight, or undefined when it requests more than is allowed. */
  preflight(origin: string, requestedHeaders: string | undefined): Record<string, string> | undefined
}

export function createCors(allowedOrigins: readonly string[]): Cors {
  const isOpen = allowedOrigins.includes('*')
  const allowed = new Set(allowedOrigins)
  const headersFor = (origin: string): Record<string, string> => {
    if (isOpen) return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS }
    if (!allowed.has(origin)) return { vary: 'Origin' }
    return {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED_HEADERS,
      vary: 'Origin',
    }
  }
  return {
    headersFor,
    preflight: (origin, requestedHeaders) => {
      const names = (requestedHeaders ?? '').split(',').map((name) => name.trim().toLowerCase())
      const requested = [...new Set(names)].filter((name) => name !== '')
      if (!requested.every((name) => ALLOWED_HEADERS.has(name)) || !(isOpen || allowed.has(origin))) return undefined
      return {
        ...headersFor(origin),
        'access-control-allow-methods': ALLOWED_METHODS,
        'access-control-allow-headers': requested.join(', '),
        'access-control-max-age': '600',
      }
    },
  }
}
