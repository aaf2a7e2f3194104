/** The query of a list page's URL: search text, sort order, page number, and a parameter for each filter that is set. */
export interface ListSearch {
  readonly q?: string
  readonly sort?: string
  readonly page?: number
  readonly [filter: string]: string | number | undefined
}

const MAX_PAGE = 5_000
const MAX_TEXT = 200
const MAX_FILTERS = 12

/** Parses an untrusted URL query. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { q, sort, page, ...others } = search
  const number = Number(page)
  return {
    ...(isText(q) && { q: String(q).slice(0, MAX_TEXT) }),
    ...(typeof sort === 'string' && sort !== '' && { sort }),
    ...(Number.isInteger(number) && number > 1 && { page: Math.min(number, MAX_PAGE) }),
    ...readFilters(others),
  }
}

function readFilters(search: Record<string, unknown>): Readonly<Record<string, string>> {
  const set = Object.entries(search).filter(([, value]) => isText(value))
  return Object.fromEntries(set.slice(0, MAX_FILTERS).map(([name, value]) => [name, String(value).slice(0, MAX_TEXT)]))
}

/** The router parses text that looks like a number or boolean. */
function isText(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
}
