import { readNextPage } from './next-page.ts'

/** What the address of the sign-in page says: why a provider did not let somebody in, by request id and word; and where to go on. */
export interface SignInSearch {
  readonly error?: string
  readonly why?: string
  readonly next?: string
}

const MAX_LENGTH = 64

/** Reads it from an address that anybody may have made. */
export function readSignInSearch({
  error,
  why,
  next,
}: {
  error?: unknown
  why?: unknown
  next?: unknown
}): SignInSearch {
  const page = readNextPage(next)
  return {
    ...(isWord(error) && { error: String(error).slice(0, MAX_LENGTH) }),
    ...(isWord(why) && { why: String(why).slice(0, MAX_LENGTH) }),
    ...(page !== undefined && { next: page }),
  }
}

/** Ids that look like numbers are read as such. */
const isWord = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'
