import { isIP } from 'node:net'

const HEADER = 'x-forwarded-for'
/** `192.0.2.1:443`, `[2001:db8::1]` and `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\](?::\d{1,5})?|(?<v4>[\d.]+):\d{1,5})$/

/**
 * Rewrites X-Forwarded-For so that it holds addresses alone: some proxies write the client's port behind. The framework reads the header by
 * itself, would know no proxy by an address with a port, and every connection of a client would be another client.
 */
export function dropForwardedPorts(headers: Record<string, string | string[] | undefined>): void {
  const forwarded = headers[HEADER]
  if (typeof forwarded !== 'string') return
  headers[HEADER] = forwarded.split(',').map(withoutPort).join(',')
}

/** What is no address with a port stays as it is. */
function withoutPort(text: string): string {
  const { v6, v4 } = WITH_PORT.exec(text.trim())?.groups ?? {}
  if (v6 !== undefined && isIP(v6) === 6) return v6
  if (v4 !== undefined && isIP(v4) === 4) return v4
  return text
}
