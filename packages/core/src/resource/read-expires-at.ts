import { fieldError } from '../app-error.ts'
import { parseDatetime } from '../filter/parse-datetime.ts'

/** Reads the `expiresAt` of a body. A time in the past is allowed: it ends access at once. */
export function readExpiresAt(text: string): number {
  const instant = parseDatetime(text)
  if (instant === undefined) throw fieldError('expiresAt', 'expiresAt in body must be of type date-time', text)
  return instant
}
