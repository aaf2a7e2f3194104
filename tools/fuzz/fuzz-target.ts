import type { Random } from './random.ts'

export type FuzzInput = Buffer | string

/** A reader of hostile input, with a way to make some. */
export interface FuzzTarget {
  readonly name: string
  /** Makes inputs without end, the same for the same random numbers. */
  createInputs(random: Random): () => FuzzInput
  /**
   * Reads one input; answers whether it was accepted. A refusal by the documented error is an answer too. Whatever is thrown is a fault:
   * another error, or an accepted input that does not mean what it should.
   */
  accepts(input: FuzzInput): boolean
}
