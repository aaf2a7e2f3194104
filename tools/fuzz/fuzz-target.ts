import type { Random } from './random.ts'

export type FuzzInput = Buffer | string

/** A parser of untrusted input, with a generator of inputs. */
export interface FuzzTarget {
  readonly name: string
  /** Returns a generator of inputs, which depend only on `random`. */
  createInputs(random: Random): () => FuzzInput
  /**
   * Parses one input. Returns true if it was accepted, false if it was refused with the documented error. Throws on a fault: another
   * error, or an accepted input with a wrong meaning.
   */
  accepts(input: FuzzInput): boolean
}
