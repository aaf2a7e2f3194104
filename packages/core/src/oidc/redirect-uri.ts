const ANY_PORT = ':*/'
const PORT = /^:([1-9][0-9]{0,4}|0)\//
const MAX_PORT = 65_535

/** Whether a URI is one of the registered ones. `:*` in a registered URI stands for any port (RFC 8252 section 7.3); all else is compared exactly. */
export function isRegisteredUri(uri: string, registered: readonly string[]): boolean {
  return registered.some((pattern) => matches(uri, pattern))
}

function matches(uri: string, pattern: string): boolean {
  const at = pattern.indexOf(ANY_PORT)
  if (at < 0) return uri === pattern
  if (!uri.startsWith(pattern.slice(0, at))) return false
  const rest = uri.slice(at)
  const port = PORT.exec(rest)
  if (!port || Number(port[1]) > MAX_PORT) return false
  return rest.slice(port[0].length) === pattern.slice(at + ANY_PORT.length)
}

/** Adds parameters to a redirect URI. Undefined values are left out. */
export function addToUri(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (given.length === 0) return uri
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}
