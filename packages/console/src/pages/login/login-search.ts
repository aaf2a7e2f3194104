import { readNextPage } from './next-page.ts'

/** The query of the login page's URL: the request id and `why` code of a failed login, and the page to open afterwards. */
export interface LoginSearch {
  readonly error?: string
  readonly why?: string
  readonly next?: string
}

const MAX_LENGTH = 64

/** Parses an untrusted URL query. */
export function readLoginSearch({ error, why, next }: { error?: unknown; why?: unknown; next?: unknown }): LoginSearch {
  const page = readNextPage(next)
  return {
    ...(isWord(error) && { error: String(error).slice(0, MAX_LENGTH) }),
    ...(isWord(why) && { why: String(why).slice(0, MAX_LENGTH) }),
    ...(page !== undefined && { next: page }),
  }
}

/** The router parses ids that look like numbers. */
const isWord = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'
