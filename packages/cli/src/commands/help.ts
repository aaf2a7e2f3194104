import { EXIT } from '../cli-error.ts'
import type { Command, CommandRow } from '../command.ts'
import { findCommand, listSubcommands } from '../find-command.ts'
import { buildCommandHelp, buildOverview, buildSubcommandHelp } from '../help.ts'
import { unknownCommand } from '../unknown-command.ts'

/** `countersign help`. A function, because `commands` includes help itself. */
export function createHelp(commands: readonly CommandRow[]): Command {
  return {
    args: ['[COMMAND]', '[SUBCOMMAND]'],
    flags: [],
    examples: [
      { command: 'countersign help', description: 'List the commands' },
      { command: 'countersign help config show', description: 'Explain one' },
    ],
    run: async ({ args, terminal }) => {
      for (const line of await buildHelp(commands, args)) terminal.out(line)
      return EXIT.ok
    },
  }
}

async function buildHelp(commands: readonly CommandRow[], words: readonly string[]): Promise<string[]> {
  const [first, ...others] = words
  if (first === undefined) return buildOverview(commands)
  const found = findCommand(commands, words)
  if (found && found.rest.length === 0) return buildCommandHelp(found.row, await found.row.load())
  const subcommands = listSubcommands(commands, first)
  if (subcommands.length === 0 || others.length > 0) throw unknownCommand(commands, words)
  return buildSubcommandHelp(first, subcommands)
}
