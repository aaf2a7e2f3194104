/**
 * `npm run fuzz [-- targets] [--runs N] [--seed N]`: feeds mutated inputs to the parsers of untrusted input.
 *
 * Reports executions per second and every input that throws an undocumented error, is accepted with a wrong meaning, or takes more than
 * 100 ms. Such inputs are printed as base64, and the exit code is 1. The same seed produces the same inputs.
 */
import { parseArgs } from 'node:util'
import type { FuzzTarget } from './fuzz/fuzz-target.ts'
import { FUZZ_TARGETS } from './fuzz/fuzz-targets.ts'
import { type FuzzReport, runTarget } from './fuzz/run-target.ts'

const names = FUZZ_TARGETS.map(({ name }) => name)
const usage = `usage: npm run fuzz -- [targets] [--runs N] [--seed N]
targets are ${names.join(', ')}
example: npm run fuzz -- ${names[0]} --runs 100000`

const { values, positionals } = readArguments()
const runs = parseCount(values.runs)
const seed = values.seed === undefined ? Date.now() % 2 ** 32 : parseCount(values.seed)
const unknown = positionals.filter((word) => !names.includes(word))
if (unknown.length > 0 || runs === undefined || seed === undefined) refuse()
process.stdout.write(`seed ${seed}\n`)
const targets = FUZZ_TARGETS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const reports = targets.map((target) => report(target, runs, seed))
process.exitCode = reports.some(({ findings }) => findings.length > 0) ? 1 : 0

function readArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        runs: { type: 'string', default: '10000000' },
        seed: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    if (!parsed.values.help) return parsed
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    refuse()
  }
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

function refuse(): never {
  console.error(usage)
  process.exit(2)
}

function report(target: FuzzTarget, count: number, fromSeed: number): FuzzReport {
  // A terminal shows one line that is overwritten; a log gets a line every 30 seconds.
  const { isTTY } = process.stderr
  const onProgress = ({ done, perSecond }: { done: number; perSecond: number }): unknown =>
    process.stderr.write(`${isTTY ? '\r' : ''}${target.name}: ${done} of ${count}, ${perSecond}/s${isTTY ? ' ' : '\n'}`)
  const result = runTarget(target, { runs: count, seed: fromSeed, progressEveryMs: isTTY ? 1000 : 30_000, onProgress })
  if (isTTY) process.stderr.write('\r')
  const { accepted, perSecond, slowestMs, findings } = result
  const counts = `${result.runs} runs, ${accepted} accepted, ${perSecond}/s, slowest ${slowestMs.toFixed(1)} ms`
  process.stdout.write(`${target.name}: ${counts}, ${findings.length} findings\n`)
  for (const { fault, input } of findings) {
    process.stdout.write(`  ${fault}\n    ${Buffer.from(input).toString('base64')}\n`)
  }
  return result
}

function parseCount(text: string): number | undefined {
  const count = Number(text)
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
