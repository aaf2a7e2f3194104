const HOME = '/console/'
/** Excluded as targets: going there after a login would loop. */
const LOGIN_PATHS = ['/console/sign-in', '/console/login/', '/console/callback']
const MAX_LENGTH = 1024
const BASE_URL = 'https://console.invalid'

/** The page to open after a login, from an untrusted URL parameter. Returns undefined unless it is a page of the console. */
export function readNextPage(untrusted: unknown): string | undefined {
  if (typeof untrusted !== 'string' || untrusted.length > MAX_LENGTH || !untrusted.startsWith(HOME)) return undefined
  if (untrusted.includes('\\') || hasControl(untrusted) || !URL.canParse(untrusted, BASE_URL)) return undefined
  const { origin, pathname, search } = new URL(untrusted, BASE_URL)
  if (origin !== BASE_URL || !pathname.startsWith(HOME) || pathname.includes('//')) return undefined
  if (pathname === HOME || LOGIN_PATHS.some((path) => pathname.startsWith(path))) return undefined
  return pathname + search
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f')
}
