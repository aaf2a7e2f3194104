/** One claim with its accepted values in a form: a required claim of a signer, or a condition of an API account. */
export type ClaimRow = {
  /** Stable React key. */
  key: string
  selector: string
  values: string[]
  /** Whether the only value is a pattern. */
  isPattern?: boolean
}

/** As in requests: one value, several, or a pattern. */
export type ClaimValues = Readonly<Record<string, string | readonly string[] | { readonly glob: string }>>

type RowsOf<Name extends string> = Readonly<Record<Name, ClaimRow[]>>

const MAX_CLAIMS = 32
const MAX_SELECTOR = 512
const MAX_VALUES = 64
const MAX_VALUE = 512

export const newClaimRow = (): ClaimRow => ({ key: crypto.randomUUID(), selector: '', values: [] })

export const isFull = (rows: readonly ClaimRow[]): boolean => rows.length >= MAX_CLAIMS

export function toClaimRows(claims: ClaimValues | null | undefined): ClaimRow[] {
  return Object.entries(claims ?? {}).map(([selector, accepted]) => ({
    ...newClaimRow(),
    selector,
    ...(isPattern(accepted) ? { values: [accepted.glob], isPattern: true } : { values: [accepted].flat() }),
  }))
}

/** The request's value. Ignores empty rows; null when none is left. */
export function toClaimValues(rows: readonly ClaimRow[]): ClaimValues | null {
  const filled = rows.filter((row) => !isEmpty(row))
  // fromEntries, since a claim may be named __proto__.
  return filled.length === 0 ? null : Object.fromEntries(filled.map((row) => [row.selector, acceptedOf(row)]))
}

/** One line for each claim. */
export function claimLines(claims: ClaimValues | null | undefined): string[] {
  return Object.entries(claims ?? {}).map(([selector, accepted]) =>
    isPattern(accepted) ? `${selector} matches ${accepted.glob}` : `${selector}: ${[accepted].flat().join(' or ')}`,
  )
}

/** The rules for the rows that a form has under `name`. */
export function claimRowRules<Name extends string>(name: Name) {
  return {
    selector: (selector: string, form: RowsOf<Name>, path: string): string | null => {
      const row = rowAt(form[name], path)
      if (!row || isEmpty(row)) return null
      if (selector === '') return 'A claim is required'
      if (selector.length > MAX_SELECTOR) return `At most ${MAX_SELECTOR} characters`
      return form[name].filter((other) => other.selector === selector).length > 1 ? 'This claim appears twice' : null
    },
    values: (values: string[], form: RowsOf<Name>, path: string): string | null => {
      const row = rowAt(form[name], path)
      if (!row || isEmpty(row)) return null
      if (values.length === 0) return 'Enter at least one value; press Enter after each'
      if (row.isPattern && values.length > 1) return 'Enter one pattern'
      if (values.length > MAX_VALUES) return `At most ${MAX_VALUES} values`
      return values.some(({ length }) => length > MAX_VALUE) ? `At most ${MAX_VALUE} characters each` : null
    },
  }
}

function acceptedOf({ values, isPattern = false }: ClaimRow): ClaimValues[string] {
  return isPattern ? { glob: values[0] ?? '' } : values
}

function isPattern(accepted: ClaimValues[string]): accepted is { readonly glob: string } {
  return typeof accepted === 'object' && 'glob' in accepted
}

function rowAt(rows: readonly ClaimRow[], path: string): ClaimRow | undefined {
  return rows[Number(path.split('.', 2)[1])]
}

function isEmpty({ selector, values }: ClaimRow): boolean {
  return selector === '' && values.length === 0
}
