const HOME = '/console/'
/** Pages that are ways in themselves: to go on to them would lead in a circle. */
const WAYS_IN = ['/console/sign-in', '/console/login/', '/console/callback']
const MAX_LENGTH = 1024
const SOMEWHERE = 'https://console.invalid'

/**
 * Where in the console to go on after signing in: what an address asks for, which anybody may have made, when it is a page of the console;
 * else undefined.
 */
export function readNextPage(untrusted: unknown): string | undefined {
  if (typeof untrusted !== 'string' || untrusted.length > MAX_LENGTH || !untrusted.startsWith(HOME)) return undefined
  if (untrusted.includes('\\') || hasControl(untrusted) || !URL.canParse(untrusted, SOMEWHERE)) return undefined
  const { origin, pathname, search } = new URL(untrusted, SOMEWHERE)
  if (origin !== SOMEWHERE || !pathname.startsWith(HOME) || pathname.includes('//')) return undefined
  if (pathname === HOME || WAYS_IN.some((way) => pathname.startsWith(way))) return undefined
  return pathname + search
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f')
}
