import type { Command, CommandRow, Flag } from './command.ts'
import { buildUsage, listFlags } from './parse-flags.ts'

/** Builds the lines of `countersign --help` for these commands. */
export function buildOverview(commands: readonly CommandRow[]): string[] {
  const nameWidth = Math.max(...commands.map(({ name }) => name.length))
  return [
    'Countersign: the identity side of a zero-trust overlay network controller',
    '',
    'Usage: countersign COMMAND [flags]',
    '',
    ...[...new Set(commands.map(({ group }) => group))].flatMap((group) => [
      `${group}:`,
      ...buildColumns(
        commands.filter((row) => row.group === group).map((row) => [row.name, row.summary]),
        nameWidth,
      ),
      '',
    ]),
    'Examples:',
    '  countersign up                 start a controller in .countersign',
    '  countersign signers --help     list the commands for signers, with examples',
    '  countersign help up            explain a command',
    '',
    'Exit status: 0 ok, 1 failure, 2 usage error, 3 not logged in, 4 refused, 5 not found, 6 conflict, 7 unreachable.',
  ]
}

/** Builds the lines of `countersign signers --help` for the commands below a word, with the first example of each. */
export async function buildSubcommandHelp(word: string, subcommands: readonly CommandRow[]): Promise<string[]> {
  const examples = await Promise.all(subcommands.map(async (row) => (await row.load()).examples.slice(0, 1)))
  return [
    `Usage: countersign ${word} COMMAND [flags]`,
    '',
    'Commands:',
    ...buildColumns(subcommands.map((row) => [row.name, row.summary])),
    '',
    'Examples:',
    ...examples.flat().map(({ command }) => `  ${command}`),
    '',
    `"countersign ${subcommands[0]?.name} --help" explains a command.`,
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
    ...buildColumns(listFlags(command).map((flag) => [flagTitle(flag), flag.description])),
    ...(command.details ? ['', ...command.details] : []),
    '',
    'Examples:',
    ...command.examples.flatMap(buildExample),
  ]
}

/** The help of a command, for programs. */
export function describeCommand(row: CommandRow, command: Command): object {
  const { name, summary, group } = row
  const { details = [], examples } = command
  const flags = listFlags(command).map(({ name: flag, short, value, description, choices, negatable, repeatable }) => {
    return { name: flag, short, value, description, choices, negatable, repeatable }
  })
  return { name, summary, group, usage: buildUsage(name, command), flags, details, examples }
}

function buildExample({ command, description }: Command['examples'][number]): string[] {
  return [`  # ${description}`, `  ${command}`]
}

function flagTitle(flag: Flag): string {
  const short = flag.short ? `-${flag.short}, ` : ''
  const name = flag.negatable ? `--[no-]${flag.name}` : `--${flag.name}`
  return short + (flag.value ? `${name} ${flag.value}` : name)
}

function buildColumns(rows: readonly (readonly [string, string])[], minWidth = 0): string[] {
  const width = Math.max(minWidth, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`)
}
