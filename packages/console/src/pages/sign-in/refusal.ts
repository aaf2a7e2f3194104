/** What the address says after a provider did not let somebody in: the id of the request, and a word why. */
export interface Refusal {
  readonly error?: string
  readonly why?: string
}

const MAX_LENGTH = 64

/** Reads it from an address that anybody may have made. */
export function readRefusal({ error, why }: Record<string, unknown>): Refusal {
  return {
    ...(isWord(error) && { error: String(error).slice(0, MAX_LENGTH) }),
    ...(isWord(why) && { why: String(why).slice(0, MAX_LENGTH) }),
  }
}

/** Ids that look like numbers are read as such. */
const isWord = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'
