import { hasTreacherousCharacter } from './plain-text.ts'

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])
const MENDED = ['\\', ' ']

/**
 * An address that a browser may be sent to: https, or http on this very machine, without credentials in it. A text that
 * the URL parser would have to mend first is none, because not every reader mends it in the same way.
 */
export function isSafeLink(text: string): boolean {
  if (hasTreacherousCharacter(text) || MENDED.some((character) => text.includes(character))) return false
  if (!URL.canParse(text) || !hasAuthority(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname))
}

/** `https:host` and `https:///host` mean a host to some and a path to others. */
function hasAuthority(text: string): boolean {
  const colon = text.indexOf(':')
  return text.startsWith('://', colon) && text[colon + 3] !== '/'
}
