const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])

/** An address that a browser may be sent to: https, or http on this very machine, without credentials in it. */
export function isSafeLink(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname))
}
