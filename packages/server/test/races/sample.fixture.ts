import { createHash } from 'node:crypto'

/** Returns one of the values in `npm test`, another with each commit; all of them in other runs, such as `npm run matrix`. */
export function sampleOne<T>(values: readonly T[], name: string): readonly T[] {
  const seed = process.env.TEST_SAMPLE
  if (seed === undefined || values.length === 0) return values
  const chosen = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() % values.length
  return values.slice(chosen, chosen + 1)
}
