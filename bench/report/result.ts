/** The required range of a value. */
export type Target = { readonly atMost: number } | { readonly atLeast: number }

/** One value, with the bare server's value in the same run and the target. */
export interface Measure {
  readonly value: number
  readonly bare?: number
  readonly target?: Target
}

export interface Column {
  readonly key: string
  readonly title: string
  readonly digits: number
}

/** One measured operation; values by column key. */
export interface Row {
  readonly name: string
  readonly measures: Readonly<Record<string, Measure>>
}

/** A table with a heading and an introduction. */
export interface Section {
  readonly title: string
  readonly text: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** Values over time at even intervals, by name. Only the JSON has them. */
  readonly samples?: Readonly<Record<string, readonly number[]>>
}

export interface PartResult {
  readonly part: string
  readonly seconds: number
  readonly sections: readonly Section[]
  /** The error that ended the part early. */
  readonly failure?: string
}

/** All results of a run. */
export interface BenchResult {
  readonly startedAt: string
  readonly machine: readonly string[]
  readonly isQuick: boolean
  readonly parts: readonly PartResult[]
}

/** Returns undefined when there is no target. */
export function isMet({ value, target }: Measure): boolean | undefined {
  if (!target) return undefined
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}
