/** First segments that old clients send without the API's base path. Compared as whole segments: `/authenticate` is not `/auth`. */
const CLIENT_SEGMENTS = new Set([
  'authenticate',
  'controllers',
  'current-api-session',
  'current-identity',
  'enroll',
  'enumerated-capabilities',
  'external-jwt-signers',
  'network-jwts',
  'protocols',
  'services',
  'sessions',
  'specs',
])

const CLIENT_BASE = '/edge/client/v1'
const OLD_BASE = '/edge/v1'

/** Maps paths from before the APIs had base paths to the client API. */
export function rewriteLegacyPath(url: string): string {
  if (url === OLD_BASE || url.startsWith(`${OLD_BASE}/`) || url.startsWith(`${OLD_BASE}?`)) {
    return CLIENT_BASE + url.slice(OLD_BASE.length)
  }
  const path = url.startsWith('//') ? `/${url.replace(/^\/+/, '')}` : url
  const end = path.slice(1).search(/[/?]/)
  const first = end < 0 ? path.slice(1) : path.slice(1, end + 1)
  return CLIENT_SEGMENTS.has(first) ? CLIENT_BASE + path : path
}
