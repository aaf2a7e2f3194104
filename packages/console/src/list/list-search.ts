/** What the address of a list page says: the text looked for, the order, the page. */
export interface ListSearch {
  readonly q?: string
  readonly sort?: string
  readonly page?: number
}

const MAX_PAGE = 5_000
const MAX_TEXT = 200

/** Reads it from an address that anybody may have made. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { q, sort, page } = search
  const number = Number(page)
  return {
    ...(isText(q) && { q: String(q).slice(0, MAX_TEXT) }),
    ...(typeof sort === 'string' && sort !== '' && { sort }),
    ...(Number.isInteger(number) && number > 1 && { page: Math.min(number, MAX_PAGE) }),
  }
}

/** Numbers and booleans in an address are read as such; they were typed as text. */
function isText(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
}
