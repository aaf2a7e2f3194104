import { parseArgs } from 'node:util'

/** How a run is made: longer or shorter, among more or fewer. */
export interface BenchOptions {
  readonly isQuick: boolean
  /** For each figure. */
  readonly seconds: number
  /** Identities and sessions, ascending. */
  readonly sizes: readonly number[]
  /** Signers, ascending. */
  readonly signers: readonly number[]
  /** How long garbage is sent. */
  readonly minutes: number
  /** Garbage a second. */
  readonly garbage: number
  /** Good logins a second beside it. */
  readonly logins: number
}

interface Option {
  readonly usual: string
  readonly quick: string
  readonly description: string
}

const OPTIONS = {
  seconds: { usual: '4', quick: '0.5', description: 'seconds for each figure' },
  sizes: {
    usual: '1000,10000,100000,1000000',
    quick: '1000,10000',
    description: 'numbers of identities and sessions, for manage and growth',
  },
  signers: { usual: '10,100,1000,10000', quick: '10,1000', description: 'numbers of signers, for growth' },
  minutes: { usual: '1', quick: '0.1', description: 'how long garbage is sent, for overload' },
  garbage: { usual: '5000', quick: '5000', description: 'garbage requests a second, for overload' },
  logins: { usual: '200', quick: '200', description: 'good logins a second, for overload' },
} as const satisfies Record<string, Option>

const NAMES = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]

/** Reads the words after `npm run bench --`. Throws a sentence for whoever typed them. */
export function parseBenchOptions(args: readonly string[]): { options: BenchOptions; words: string[]; help: boolean } {
  const texts = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' as const }]))
  const flags = { quick: { type: 'boolean' as const }, help: { type: 'boolean' as const, short: 'h' } }
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...texts, ...flags },
    allowPositionals: true,
  })
  const isQuick = values.quick === true
  const numbers = (name: keyof typeof OPTIONS): number[] => {
    const given = (values as Readonly<Record<string, unknown>>)[name] ?? OPTIONS[name][isQuick ? 'quick' : 'usual']
    const found = String(given).split(',').map(Number)
    if (found.some((number) => !(number > 0))) throw new Error(`--${name}: ${given} is not a list of positive numbers`)
    return found.sort((a, b) => a - b)
  }
  const number = (name: keyof typeof OPTIONS): number => numbers(name)[0] ?? 0
  return {
    words: positionals,
    help: values.help === true,
    options: {
      isQuick,
      seconds: number('seconds'),
      sizes: numbers('sizes'),
      signers: numbers('signers'),
      minutes: number('minutes'),
      garbage: number('garbage'),
      logins: number('logins'),
    },
  }
}

/** What `--help` prints. */
export function describeOptions(parts: readonly string[]): string {
  return [
    `npm run bench -- [${parts.join('|')} …] [options]`,
    '',
    'Runs the named parts, or all of them.',
    '',
    describe('quick', 'a few minutes for everything, to see it work; too short to rely on'),
    ...NAMES.map((name) => describe(`${name}=N`, `${OPTIONS[name].description} [${OPTIONS[name].usual}]`)),
  ].join('\n')
}

const describe = (flag: string, text: string): string => `  --${flag.padEnd(12)}${text}`
