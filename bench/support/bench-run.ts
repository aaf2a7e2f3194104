import type { BenchOptions } from '../bench-options.ts'
import type { Section } from '../report/result.ts'

/** What every part of the bench gets. */
export interface BenchRun {
  readonly options: BenchOptions
  /** Tells whoever waits what is under way. */
  say(text: string): void
  /** Hands in a table with its plots; what was handed in stays when the part fails later. */
  report(section: Section): void
}

/** A part of the bench. */
export type BenchPart = (run: BenchRun) => Promise<void>
