import { type Column, isMet, type Measure, type Section, type Target } from './result.ts'

/** A table of formatted cells. */
export interface FlatTable {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const NONE = ''

interface SubColumn {
  readonly title: (column: Column) => string
  readonly isNeeded: (measures: readonly Measure[]) => boolean
  readonly text: (measure: Measure, column: Column) => string
}

/** The columns shown for one measured column. One that is empty in every row is left out. */
const SUB_COLUMNS: readonly SubColumn[] = [
  { title: ({ title }) => title, isNeeded: () => true, text: ({ value }, { digits }) => formatNumber(value, digits) },
  {
    title: () => 'bare',
    isNeeded: (measures) => measures.some(({ bare }) => bare !== undefined),
    text: ({ bare }, { digits }) => (bare === undefined ? NONE : formatNumber(bare, digits)),
  },
  {
    title: () => 'target',
    isNeeded: (measures) => measures.some(({ target }) => target !== undefined),
    text: ({ target }) => (target ? formatTarget(target) : NONE),
  },
  {
    title: () => 'result',
    isNeeded: (measures) => measures.some(({ target }) => target !== undefined),
    text: (measure) => ({ true: 'met', false: 'not met', undefined: NONE })[String(isMet(measure))] ?? NONE,
  },
]

/** Formats each value, followed by the bare server's value, the target, and whether it is met. */
export function flattenSection({ columns, rows }: Section): FlatTable {
  const flat = columns.flatMap((column) => {
    const measures = rows.flatMap(({ measures: { [column.key]: measure } }) => measure ?? [])
    return SUB_COLUMNS.filter(({ isNeeded }) => isNeeded(measures)).map((sub) => ({ column, sub }))
  })
  return {
    header: [NONE, ...flat.map(({ column, sub }) => sub.title(column))],
    rows: rows.map(({ name, measures }) => [
      name,
      ...flat.map(({ column, sub }) => {
        const measure = measures[column.key]
        return measure ? sub.text(measure, column) : NONE
      }),
    ]),
  }
}

function formatNumber(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function formatTarget(target: Target): string {
  return 'atMost' in target
    ? `≤ ${target.atMost.toLocaleString('en-US')}`
    : `≥ ${target.atLeast.toLocaleString('en-US')}`
}
