import { CountersignError } from '../countersign-error.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Parses an address that credentials can be sent to: https, or http to loopback. Throws UNSAFE_ADDRESS; `what` names it there. `namedBy` is where the
 * address was read: another machine must not send credentials to a port of this one, which any user may have opened.
 */
export function parseSafeAddress(address: string, what: string, namedBy?: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url && !url.username && !url.password) {
    const isLocal = namedBy === undefined || isLoopback(new URL(namedBy).hostname)
    if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname) && isLocal)) return url
  }
  throw new CountersignError({
    code: 'UNSAFE_ADDRESS',
    message: `${what} must be an https address without user name and password`,
    hint: 'http is allowed for localhost only, and only if localhost named the address',
  })
}

/** Parses a base address: returns it without trailing slash, query and fragment. */
export function parseBaseAddress(address: string, what: string): string {
  const { origin, pathname } = parseSafeAddress(address, what)
  return origin + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname)
}

function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || host.endsWith('.localhost')
}
