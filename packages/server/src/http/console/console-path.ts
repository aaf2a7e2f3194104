import { hasUnsafeCharacter } from '@countersign/core'

export const CONSOLE_HOME = '/console/'
const BASE = 'https://console.invalid'
const MAX_LENGTH = 1024

/** The requested path when it is inside the console, else the console's first page. */
export function consolePath(untrusted: string | undefined): string {
  if (untrusted === undefined || untrusted.length > MAX_LENGTH) return CONSOLE_HOME
  if (!untrusted.startsWith(CONSOLE_HOME) || untrusted.includes('\\') || hasUnsafeCharacter(untrusted)) {
    return CONSOLE_HOME
  }
  if (!URL.canParse(untrusted, BASE)) return CONSOLE_HOME
  const { origin, pathname, search } = new URL(untrusted, BASE)
  return origin === BASE && pathname.startsWith(CONSOLE_HOME) ? `${pathname}${search}` : CONSOLE_HOME
}
