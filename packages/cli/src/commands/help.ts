import { EXIT } from '../cli-error.ts'
import type { Call, Command, CommandRow } from '../command.ts'
import { findCommand, listSubcommands } from '../find-command.ts'
import { buildCommandHelp, buildOverview, buildSubcommandHelp, describeCommand } from '../help.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { unknownCommand } from '../unknown-command.ts'

/** `countersign help`. A function, because `commands` includes help itself. */
export function createHelp(commands: readonly CommandRow[]): Command {
  return {
    args: ['[COMMAND]', '[SUBCOMMAND]'],
    flags: [],
    examples: [
      { command: 'countersign help', description: 'List the commands' },
      { command: 'countersign help signers', description: 'List the commands for signers, with an example of each' },
      { command: 'countersign help config show', description: 'Explain one' },
    ],
    run: async (call) => {
      const found = findTopic(commands, call.args)
      if (getFormat(call) === 'table') for (const line of await buildHelp(commands, found)) call.terminal.out(line)
      else await printTopic(call, found.row ? [found.row] : found.rows)
      return EXIT.ok
    },
  }
}

interface Topic {
  /** A single command, or all below `noun`, or all. */
  readonly row?: CommandRow
  readonly rows: readonly CommandRow[]
  readonly noun?: string
}

function findTopic(commands: readonly CommandRow[], words: readonly string[]): Topic {
  const [noun, ...others] = words
  if (noun === undefined) return { rows: commands }
  const found = findCommand(commands, words)
  if (found && found.rest.length === 0) return { row: found.row, rows: [found.row] }
  const rows = listSubcommands(commands, noun)
  if (rows.length === 0 || others.length > 0) throw unknownCommand(commands, words)
  return { rows, noun }
}

async function buildHelp(commands: readonly CommandRow[], { row, rows, noun }: Topic): Promise<string[]> {
  if (row) return buildCommandHelp(row, await row.load())
  return noun === undefined ? buildOverview(commands) : buildSubcommandHelp(noun, rows)
}

async function printTopic(call: Call, rows: readonly CommandRow[]): Promise<void> {
  if (getFormat(call) === 'name') for (const { name } of rows) call.terminal.out(name)
  else await printData(call, await Promise.all(rows.map(async (row) => describeCommand(row, await row.load()))))
}
