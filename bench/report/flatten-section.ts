import { type Aim, type Column, isMet, type Measure, type Section } from './result.ts'

/** A table as people read it: texts only. */
export interface FlatTable {
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The words for whether an aim is met. */
export const MET = 'met'
export const NOT_MET = 'not met'
const NONE = ''

interface Part {
  readonly head: (column: Column) => string
  readonly isNeeded: (measures: readonly Measure[]) => boolean
  readonly text: (measure: Measure, column: Column) => string
}

/** What a column of numbers becomes; what no row has is left out. */
const PARTS: readonly Part[] = [
  { head: ({ title }) => title, isNeeded: () => true, text: ({ value }, { digits }) => formatNumber(value, digits) },
  {
    head: () => 'bare',
    isNeeded: (measures) => measures.some(({ bare }) => bare !== undefined),
    text: ({ bare }, { digits }) => (bare === undefined ? NONE : formatNumber(bare, digits)),
  },
  {
    head: () => 'aim',
    isNeeded: (measures) => measures.some(({ aim }) => aim !== undefined),
    text: ({ aim }) => (aim ? formatAim(aim) : NONE),
  },
  {
    head: () => 'is',
    isNeeded: (measures) => measures.some(({ aim }) => aim !== undefined),
    text: (measure) => ({ true: MET, false: NOT_MET, undefined: NONE })[String(isMet(measure))] ?? NONE,
  },
]

/** Each number followed by its bare baseline, its aim and whether that is met. */
export function flattenSection({ columns, rows }: Section): FlatTable {
  const flat = columns.flatMap((column) => {
    const measures = rows.flatMap(({ measures: { [column.key]: measure } }) => measure ?? [])
    return PARTS.filter(({ isNeeded }) => isNeeded(measures)).map((part) => ({ column, part }))
  })
  return {
    heads: [NONE, ...flat.map(({ column, part }) => part.head(column))],
    rows: rows.map(({ name, measures }) => [
      name,
      ...flat.map(({ column, part }) => {
        const measure = measures[column.key]
        return measure ? part.text(measure, column) : NONE
      }),
    ]),
  }
}

/** With thousands set apart, and never in powers of ten. */
export function formatNumber(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function formatAim(aim: Aim): string {
  return 'atMost' in aim ? `≤ ${aim.atMost.toLocaleString('en-US')}` : `≥ ${aim.atLeast.toLocaleString('en-US')}`
}
