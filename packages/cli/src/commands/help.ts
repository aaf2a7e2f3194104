import { EXIT } from '../cli-error.ts'
import type { Command, CommandRow } from '../command.ts'
import { findCommand } from '../find-command.ts'
import { buildCommandHelp, buildOverview } from '../help.ts'
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
      const found = findCommand(commands, args)
      if (args.length > 0 && (!found || found.rest.length > 0)) throw unknownCommand(commands, args)
      const lines = found ? buildCommandHelp(found.row, await found.row.load()) : buildOverview(commands)
      for (const line of lines) terminal.out(line)
      return EXIT.ok
    },
  }
}
