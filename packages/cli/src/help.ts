import type { Command, CommandRow, Flag } from './command.ts'
import { COMMANDS } from './commands.ts'
import { buildUsage, HELP_FLAG } from './parse-flags.ts'

/** Builds the lines of `countersign --help`. */
export function buildOverview(): string[] {
  return [
    'Countersign: the identity side of a zero-trust overlay network controller',
    '',
    'Usage: countersign COMMAND [flags]',
    '',
    'Commands:',
    ...buildColumns(COMMANDS.map((row) => [row.name, row.summary])),
    '',
    'Examples:',
    '  countersign up                 start a controller in .countersign',
    '  countersign help up            explain a command',
    '',
    'Exit status: 0 done, 1 failed, 2 called wrongly.',
  ]
}

/** Builds the lines of `countersign COMMAND --help`. */
export function buildCommandHelp(row: CommandRow, command: Command): string[] {
  return [
    row.summary,
    '',
    `Usage: ${buildUsage(row.name, command)}`,
    '',
    'Flags:',
    ...buildColumns([...command.flags, HELP_FLAG].map((flag) => [flagTitle(flag), flag.description])),
    ...(command.details ? ['', ...command.details] : []),
    '',
    'Examples:',
    ...command.examples.flatMap((example) => [`  # ${example.says}`, `  ${example.command}`]),
  ]
}

function flagTitle(flag: Flag): string {
  const name = flag.negatable ? `--[no-]${flag.name}` : `--${flag.name}`
  return flag.value ? `${name} ${flag.value}` : name
}

function buildColumns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`)
}
