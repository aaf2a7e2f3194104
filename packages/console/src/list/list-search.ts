/** The query of a list page's URL: search text, sort order, page number. */
export interface ListSearch {
  readonly q?: string
  readonly sort?: string
  readonly page?: number
}

const MAX_PAGE = 5_000
const MAX_TEXT = 200

/** Parses an untrusted URL query. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { q, sort, page } = search
  const number = Number(page)
  return {
    ...(isText(q) && { q: String(q).slice(0, MAX_TEXT) }),
    ...(typeof sort === 'string' && sort !== '' && { sort }),
    ...(Number.isInteger(number) && number > 1 && { page: Math.min(number, MAX_PAGE) }),
  }
}

/** The router parses text that looks like a number or boolean. */
function isText(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
}
