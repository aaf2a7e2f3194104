import type { BenchOptions } from '../bench-options.ts'
import type { Section } from '../report/result.ts'

/** The context of every part of the bench. */
export interface BenchRun {
  readonly options: BenchOptions
  /** Prints the current step to stderr. */
  progress(text: string): void
  /** Adds a table to the result. It stays there if the part fails later. */
  report(section: Section): void
}

export type BenchPart = (run: BenchRun) => Promise<void>
