import type { IncomingHttpHeaders } from 'node:http'

/** Upper bound: longer times are mistakes of the provider, and the arithmetic stays exact. */
const MAX_MS = 365 * 86_400_000

/** Returns how long a response stays fresh, in milliseconds; undefined without caching headers. */
export function freshForMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const directives = (headers['cache-control'] ?? '').split(',').map((part) => part.trim().toLowerCase())
  if (directives.includes('no-store') || directives.includes('no-cache')) return 0
  const maxAge = directives.find((directive) => directive.startsWith('max-age='))?.slice('max-age='.length)
  if (maxAge !== undefined) return bounded(Number(maxAge.replaceAll('"', '')) * 1000)
  if (headers.expires === undefined) return undefined
  const sent = Date.parse(headers.date ?? '')
  // An invalid date means expired (RFC 9111 section 5.3).
  return bounded((Date.parse(headers.expires) || 0) - (Number.isNaN(sent) ? now : sent))
}

function bounded(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_MS)
}
