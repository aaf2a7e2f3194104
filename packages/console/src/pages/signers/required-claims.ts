/** One required claim in the form. */
export type ClaimRow = {
  /** Stable React key. */
  key: string
  selector: string
  values: string[]
}

type RequiredClaims = Readonly<Record<string, string | readonly string[]>>
type WithRows = { requiredClaims: ClaimRow[] }

const MAX_CLAIMS = 32
const MAX_SELECTOR = 512
const MAX_VALUES = 64
const MAX_VALUE = 512

export const newClaimRow = (): ClaimRow => ({ key: crypto.randomUUID(), selector: '', values: [] })

export const isFull = (rows: readonly ClaimRow[]): boolean => rows.length >= MAX_CLAIMS

export function toClaimRows(claims: RequiredClaims | null | undefined): ClaimRow[] {
  return Object.entries(claims ?? {}).map(([selector, accepted]) => ({
    ...newClaimRow(),
    selector,
    values: typeof accepted === 'string' ? [accepted] : [...accepted],
  }))
}

/** The request's value. Ignores empty rows; null when none is left. */
export function toRequiredClaims(rows: readonly ClaimRow[]): RequiredClaims | null {
  const filled = rows.filter((row) => !isEmpty(row))
  // fromEntries, since a claim may be named __proto__.
  return filled.length === 0 ? null : Object.fromEntries(filled.map(({ selector, values }) => [selector, values]))
}

export const CLAIM_ROW_RULES = {
  selector: (selector: string, { requiredClaims }: WithRows, path: string): string | null => {
    const row = rowAt(requiredClaims, path)
    if (!row || isEmpty(row)) return null
    if (selector === '') return 'A claim is required'
    if (selector.length > MAX_SELECTOR) return `At most ${MAX_SELECTOR} characters`
    return requiredClaims.filter((other) => other.selector === selector).length > 1 ? 'This claim appears twice' : null
  },
  values: (values: string[], { requiredClaims }: WithRows, path: string): string | null => {
    const row = rowAt(requiredClaims, path)
    if (!row || isEmpty(row)) return null
    if (values.length === 0) return 'Enter at least one value; press Enter after each'
    if (values.length > MAX_VALUES) return `At most ${MAX_VALUES} values`
    return values.some(({ length }) => length > MAX_VALUE) ? `At most ${MAX_VALUE} characters each` : null
  },
}

function rowAt(rows: readonly ClaimRow[], path: string): ClaimRow | undefined {
  return rows[Number(path.split('.', 2)[1])]
}

function isEmpty({ selector, values }: ClaimRow): boolean {
  return selector === '' && values.length === 0
}
