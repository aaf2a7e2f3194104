/** What a number should be. */
export type Aim = { readonly atMost: number } | { readonly atLeast: number }

/** One number, beside what the bare server does in the same run and beside what it should be. */
export interface Measure {
  readonly value: number
  readonly bare?: number
  readonly aim?: Aim
}

/** A column of numbers of one kind. */
export interface Column {
  readonly key: string
  readonly title: string
  readonly digits: number
}

/** What was done, and its numbers by the key of their column. */
export interface Row {
  readonly name: string
  readonly measures: Readonly<Record<string, Measure>>
}

/** One line of a plot: its points from left to right. */
export interface Series {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

/** Lines over an axis; `isLog` for sizes that grow tenfold from one to the next. */
export interface LinePlot {
  readonly kind: 'lines'
  readonly title: string
  readonly xTitle: string
  readonly isLog: boolean
  readonly series: readonly Series[]
}

/** One bar for each row, with marks for the bare server and for the aim. */
export interface BarPlot {
  readonly kind: 'bars'
  readonly title: string
  readonly bars: readonly { readonly name: string; readonly measure: Measure }[]
}

export type Plot = LinePlot | BarPlot

/** A table with its plots. */
export interface Section {
  readonly title: string
  /** What was done, in a sentence or two. */
  readonly text: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly plots: readonly Plot[]
}

export interface PartResult {
  readonly part: string
  readonly seconds: number
  readonly sections: readonly Section[]
  /** Why it ended early. */
  readonly failure?: string
}

/** Everything that a run has found out. */
export interface BenchResult {
  readonly startedAt: string
  readonly machine: readonly string[]
  readonly isQuick: boolean
  readonly parts: readonly PartResult[]
}

/** Undefined where there is nothing to meet. */
export function isMet({ value, aim }: Measure): boolean | undefined {
  if (!aim) return undefined
  return 'atMost' in aim ? value <= aim.atMost : value >= aim.atLeast
}
