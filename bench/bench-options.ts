import { parseArgs } from 'node:util'
import { DATABASES, type DatabaseName } from './support/bench-database.ts'

/** Duration and sizes of a run. */
export interface BenchOptions {
  readonly isQuick: boolean
  readonly databases: readonly DatabaseName[]
  /** Only rows whose name contains this text are measured. */
  readonly rows: string
  /** Measuring time of one figure. */
  readonly seconds: number
  /** Numbers of identities and sessions, ascending. */
  readonly sizes: readonly number[]
  /** Numbers of signers, ascending. */
  readonly signers: readonly number[]
  /** Duration of the garbage load. */
  readonly minutes: number
  /** Garbage requests per second. */
  readonly garbage: number
  /** Valid logins per second, sent at the same time. */
  readonly logins: number
}

interface Option {
  readonly normal: string
  readonly quick: string
  readonly description: string
}

const OPTIONS = {
  seconds: { normal: '4', quick: '0.5', description: 'measuring time of one figure, in seconds' },
  sizes: {
    normal: '1000,10000,100000,1000000',
    quick: '1000,10000',
    description: 'numbers of identities and sessions, for manage and growth',
  },
  signers: { normal: '10,100,1000,10000', quick: '10,1000', description: 'numbers of signers, for growth' },
  minutes: { normal: '1', quick: '0.1', description: 'duration of the garbage load, for overload' },
  garbage: { normal: '5000', quick: '5000', description: 'garbage requests per second, for overload' },
  logins: { normal: '200', quick: '200', description: 'valid logins per second, for overload' },
} as const satisfies Record<string, Option>

const NAMES_OF_DATABASES = DATABASES.map((name) => name.toLowerCase()).join(' or ')
const NAMES = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]

/** Parses the arguments after `npm run bench --`. Throws an error whose message can be printed. */
export function parseBenchOptions(args: readonly string[]): { options: BenchOptions; parts: string[]; help: boolean } {
  const valueOptions = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' as const }]))
  const flags = {
    database: { type: 'string' as const },
    rows: { type: 'string' as const, default: '' },
    quick: { type: 'boolean' as const },
    help: { type: 'boolean' as const, short: 'h' },
  }
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...valueOptions, ...flags },
    allowPositionals: true,
  })
  const isQuick = values.quick === true
  const numbers = (name: keyof typeof OPTIONS): number[] => {
    const text = (values as Readonly<Record<string, unknown>>)[name] ?? OPTIONS[name][isQuick ? 'quick' : 'normal']
    const list = String(text).split(',').map(Number)
    if (list.some((number) => !(number > 0))) throw new Error(`--${name}: ${text} is not a list of positive numbers`)
    return list.sort((a, b) => a - b)
  }
  const number = (name: keyof typeof OPTIONS): number => numbers(name)[0] ?? 0
  return {
    parts: positionals,
    help: values.help === true,
    options: {
      isQuick,
      databases: findDatabases(values.database),
      rows: String(values.rows),
      seconds: number('seconds'),
      sizes: numbers('sizes'),
      signers: numbers('signers'),
      minutes: number('minutes'),
      garbage: number('garbage'),
      logins: number('logins'),
    },
  }
}

function findDatabases(name: unknown): readonly DatabaseName[] {
  if (name === undefined) return DATABASES
  const found = DATABASES.filter((database) => database.toLowerCase() === name)
  if (found.length === 0) throw new Error(`--database: ${name} is not ${NAMES_OF_DATABASES}`)
  return found
}

/** Returns the text of `--help`. */
export function describeOptions(parts: readonly string[]): string {
  return [
    `npm run bench -- [${parts.join('|')} …] [options]`,
    '',
    'Runs the named parts, or all of them.',
    '',
    describe('database=NAME', `only ${NAMES_OF_DATABASES}`),
    describe('rows=TEXT', 'only the operations whose name contains the text, in the tables of calls'),
    describe('quick', 'a short run to see that it works; its figures are not reliable'),
    ...NAMES.map((name) => describe(`${name}=N`, `${OPTIONS[name].description} [${OPTIONS[name].normal}]`)),
  ].join('\n')
}

const describe = (flag: string, text: string): string => `  --${flag.padEnd(12)}${text}`
