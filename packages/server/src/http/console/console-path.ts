import { hasTreacherousCharacter } from '@countersign/core'

export const CONSOLE_HOME = '/console/'
const SOMEWHERE = 'https://console.invalid'
const MAX_LENGTH = 1024

/** The requested path when it is inside the console, else the console's first page. */
export function consolePath(untrusted: string | undefined): string {
  if (untrusted === undefined || untrusted.length > MAX_LENGTH) return CONSOLE_HOME
  if (!untrusted.startsWith(CONSOLE_HOME) || untrusted.includes('\\') || hasTreacherousCharacter(untrusted)) {
    return CONSOLE_HOME
  }
  if (!URL.canParse(untrusted, SOMEWHERE)) return CONSOLE_HOME
  const { origin, pathname, search } = new URL(untrusted, SOMEWHERE)
  return origin === SOMEWHERE && pathname.startsWith(CONSOLE_HOME) ? `${pathname}${search}` : CONSOLE_HOME
}
