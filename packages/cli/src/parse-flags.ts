import { parseArgs } from 'node:util'
import { type CliError, usageError } from './cli-error.ts'
import type { Command, Flag, FlagValues } from './command.ts'
import { OUTPUT_FLAG } from './output/print-result.ts'
import { askDidYouMean, suggest } from './suggest.ts'

interface ParsedFlags {
  readonly args: readonly string[]
  readonly flags: FlagValues
}

/** Every command has it; main handles it. */
const HELP_FLAG: Flag = { name: 'help', short: 'h', description: 'Show this help' }

/** The flags of a command: its own, and those that every command has. */
export function listFlags({ flags, hasOutput = true }: Pick<Command, 'flags' | 'hasOutput'>): readonly Flag[] {
  return [...flags, ...(hasOutput ? [OUTPUT_FLAG] : []), HELP_FLAG]
}

/** Parses the words after a command's name. Throws CliError for the first error. */
export function parseFlags(name: string, command: Command, words: readonly string[]): ParsedFlags {
  const known = new Map(listFlags(command).map((flag) => [flag.name, flag]))
  const { values, positionals, tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries([...known.values()].map((flag) => [flag.name, parseOption(flag)])),
    allowPositionals: true,
    allowNegative: true,
    // The checks below have shorter texts, with a hint.
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind === 'option') checkFlag(name, known, token)
  }
  if (values.help !== true) checkArguments(name, command, positionals)
  return { args: positionals, flags: values }
}

function parseOption(flag: Flag) {
  const short = flag.short ? { short: flag.short } : {}
  return { type: flag.value ? ('string' as const) : ('boolean' as const), multiple: flag.repeatable ?? false, ...short }
}

interface FlagToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function checkFlag(command: string, known: ReadonlyMap<string, Flag>, token: FlagToken): void {
  const { rawName, value, inlineValue } = token
  const flag = known.get(token.name)
  if (!flag || (rawName.startsWith('--no-') && !flag.negatable)) throw unknownFlag(command, known, rawName)
  if (!flag.value && value !== undefined) throw usageError(`${rawName} takes no value`, `write ${rawName} alone`)
  // In `--port --json` the value is missing; it is not `--json`.
  if (flag.value && (value === undefined || value === '' || (!inlineValue && value.startsWith('--')))) {
    throw usageError(
      `${rawName} needs a value`,
      `write ${rawName} ${flag.choices ? joinChoices(flag.choices) : flag.value}`,
    )
  }
  if (value !== undefined && flag.choices && !flag.choices.includes(value)) {
    const near = askDidYouMean(suggest(value, flag.choices))
    throw usageError(`${rawName} cannot be "${value}"`, near ?? `write ${rawName} ${joinChoices(flag.choices)}`)
  }
}

/** `json, yaml or name` */
export function joinChoices(choices: readonly string[]): string {
  return [choices.slice(0, -1).join(', '), ...choices.slice(-1)].filter(Boolean).join(' or ')
}

function unknownFlag(command: string, known: ReadonlyMap<string, Flag>, rawName: string): CliError {
  const all = [...known.values()].flatMap(({ name, negatable }) => [
    `--${name}`,
    ...(negatable ? [`--no-${name}`] : []),
  ])
  const format = OUTPUT_FLAG.choices?.find((choice) => rawName === `--${choice}`)
  const near = format === undefined ? suggest(rawName, rawName.startsWith('--') ? all : []) : [`-o ${format}`]
  const seeHelp = `"countersign ${command} --help" lists the flags`
  const hint = [askDidYouMean(near), seeHelp].filter(Boolean).join(' ')
  return usageError(`"countersign ${command}" has no flag ${rawName}`, hint)
}

function checkArguments(name: string, command: Command, given: readonly string[]): void {
  const missing = command.args.slice(given.length).filter((arg) => !arg.startsWith('['))
  const usage = `usage: ${buildUsage(name, command)}`
  if (missing.length > 0) throw usageError(`"countersign ${name}" needs ${missing.join(' and ')}`, usage)
  const extra = given.at(command.args.length)
  if (extra !== undefined) throw usageError(`"countersign ${name}" has no argument "${extra}"`, usage)
}

/** `countersign backup FILE [flags]` */
export function buildUsage(name: string, command: Command): string {
  return ['countersign', name, ...command.args, '[flags]'].join(' ')
}
