import { hasUnsafeCharacter } from './plain-text.ts'

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Whether the host name of a parsed URL is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOSTS.has(hostname)
}

/** Characters that the URL parser silently replaces. */
const REPAIRED = ['\\', ' ']

/**
 * Whether a browser may be sent to a URL: https, or http on a loopback host, without credentials. Refuses a text that the
 * URL parser would repair, because not every parser repairs it in the same way.
 */
export function isSafeLink(text: string): boolean {
  if (hasUnsafeCharacter(text) || REPAIRED.some((character) => text.includes(character))) return false
  if (!URL.canParse(text) || !hasAuthority(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/** Parsers disagree on `https:host` and `https:///host`: a host for some, a path for others. */
function hasAuthority(text: string): boolean {
  const colon = text.indexOf(':')
  return text.startsWith('://', colon) && text[colon + 3] !== '/'
}
