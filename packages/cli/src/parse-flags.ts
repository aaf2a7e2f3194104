import { parseArgs } from 'node:util'
import { usageError } from './cli-error.ts'
import type { Command, Flag, FlagValues } from './command.ts'

interface ParsedFlags {
  readonly args: readonly string[]
  readonly flags: FlagValues
}

/** Every command has it; main handles it. */
export const HELP_FLAG: Flag = { name: 'help', short: 'h', description: 'Show this help' }

/** Parses the words after a command's name. Throws CliError for the first error. */
export function parseFlags(name: string, command: Command, words: readonly string[]): ParsedFlags {
  const known = new Map([...command.flags, HELP_FLAG].map((flag) => [flag.name, flag]))
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
    if (token.kind === 'option') checkFlag(name, known.get(token.name), token)
  }
  if (values.help !== true) checkArguments(name, command, positionals)
  return { args: positionals, flags: values }
}

function parseOption(flag: Flag) {
  const short = flag.short ? { short: flag.short } : {}
  return { type: flag.value ? ('string' as const) : ('boolean' as const), multiple: flag.repeatable ?? false, ...short }
}

interface FlagToken {
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function checkFlag(name: string, flag: Flag | undefined, { rawName, value, inlineValue }: FlagToken): void {
  const seeHelp = `"countersign ${name} --help" lists the flags`
  if (!flag || (rawName.startsWith('--no-') && !flag.negatable)) {
    throw usageError(`"countersign ${name}" has no flag ${rawName}`, seeHelp)
  }
  if (!flag.value && value !== undefined) throw usageError(`${rawName} takes no value`, `write ${rawName} alone`)
  // In `--port --json` the value is missing; it is not `--json`.
  if (flag.value && (value === undefined || value === '' || (!inlineValue && value.startsWith('--')))) {
    throw usageError(`${rawName} needs a value`, `write ${rawName} ${flag.value}`)
  }
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
  return ['countersign', name, ...command.args, ...(command.flags.length > 0 ? ['[flags]'] : [])].join(' ')
}
