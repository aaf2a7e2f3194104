import { isIP } from 'node:net'

const HEADER = 'x-forwarded-for'
/** `192.0.2.1:443`, `[2001:db8::1]` and `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\](?::\d{1,5})?|(?<v4>[\d.]+):\d{1,5})$/

/**
 * Removes ports from X-Forwarded-For, where some proxies add the client's port. The framework reads the header itself: with a port it would not
 * recognise a trusted proxy, and every connection of a client would count as another client.
 */
export function dropForwardedPorts(headers: Record<string, string | string[] | undefined>): void {
  const forwarded = headers[HEADER]
  if (typeof forwarded !== 'string') return
  headers[HEADER] = forwarded.split(',').map(withoutPort).join(',')
}

/** Returns other text unchanged. */
function withoutPort(text: string): string {
  const { v6, v4 } = WITH_PORT.exec(text.trim())?.groups ?? {}
  if (v6 !== undefined && isIP(v6) === 6) return v6
  if (v4 !== undefined && isIP(v4) === 4) return v4
  return text
}
