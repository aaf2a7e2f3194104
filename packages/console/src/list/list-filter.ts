import { quoteForFilter } from '@countersign/sdk'
import { searchFilter } from '../api/search-filter.ts'

interface NamedFilter {
  /** The parameter of the page's URL. */
  readonly name: string
  readonly label: string
  /** A value as a filter of the API; undefined for a value that it does not know. */
  readonly toFilter: (value: string, now: number) => string | undefined
}

export interface Choice {
  readonly value: string
  readonly label: string
}

/** A filter with a few known values. */
export interface ChoiceFilter extends NamedFilter {
  readonly kind: 'choice'
  readonly choices: readonly Choice[]
  /** The label of no choice. Default: All. */
  readonly all?: string
}

/** A filter by typed text, with suggestions from the server. */
export interface TextFilter extends NamedFilter {
  readonly kind: 'text'
  readonly suggest?: (text: string) => Promise<readonly string[]>
}

export type ListFilter = ChoiceFilter | TextFilter

/** A row of a `choiceFilter`: the value in the URL, its label, and the filter of the API. */
export interface FilterChoice extends Choice {
  readonly filter: (now: number) => string
}

export function choiceFilter(name: string, label: string, choices: readonly FilterChoice[]): ChoiceFilter {
  const toFilter = (value: string, now: number) => choices.find((choice) => choice.value === value)?.filter(now)
  return { kind: 'choice', name, label, choices, toFilter }
}

/** A filter by a member that has exactly the chosen value. */
export function equalFilter(name: string, label: string, field: string, choices: readonly Choice[]): ChoiceFilter {
  return { kind: 'choice', name, label, choices, toFilter: (value) => `${field} = ${quoteForFilter(value)}` }
}

interface Wanted {
  readonly searchFields: readonly string[]
  readonly text: string
  readonly filters: readonly ListFilter[]
  readonly values: Readonly<Record<string, unknown>>
  readonly now: number
}

/** The filter of the API for a list: the search text in one of the fields, and every filter that is set. */
export function buildListFilter({ searchFields, text, filters, values, now }: Wanted): string | undefined {
  const search = searchFields.length > 0 ? searchFilter(searchFields, text) : undefined
  const set = filters.map(({ name, toFilter }) => {
    const value = values[name]
    return typeof value === 'string' ? toFilter(value, now) : undefined
  })
  return allFilters([search, ...set])
}

/** Matches what every filter matches; undefined when none is set. */
export function allFilters(filters: readonly (string | undefined)[]): string | undefined {
  const set = filters.filter((filter) => filter !== undefined)
  return set.length < 2 ? set[0] : set.map((filter) => `(${filter})`).join(' and ')
}

/** An instant in the filter language, to the minute: a list must not load anew for every render. */
export function datetime(at: number): string {
  return `datetime(${new Date(Math.floor(at / MINUTE_MS) * MINUTE_MS).toISOString()})`
}

const MINUTE_MS = 60_000
