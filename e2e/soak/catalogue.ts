import { randomInt } from 'node:crypto'
import { runCatalogue } from '../../packages/server/test/attack/run-catalogue.ts'

/** Sends every hostile request of the test suite, in 100 rounds of random order. `--seed=N` repeats an order, `--rounds=N` sets the rounds. */
export async function run(args: readonly string[]): Promise<void> {
  const seed = numberOf(args, '--seed') ?? randomInt(2 ** 31)
  await runCatalogue({ rounds: numberOf(args, '--rounds') ?? 100, seed, log: console.log })
}

function numberOf(args: readonly string[], flag: string): number | undefined {
  const given = args.find((arg) => arg.startsWith(`${flag}=`))
  return given === undefined ? undefined : Number(given.slice(flag.length + 1))
}
