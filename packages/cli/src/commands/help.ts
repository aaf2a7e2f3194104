import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { findCommand } from '../commands.ts'
import { buildCommandHelp, buildOverview } from '../help.ts'
import { unknownCommand } from '../unknown-command.ts'

export const help: Command = {
  args: ['[COMMAND]', '[SUBCOMMAND]'],
  flags: [],
  examples: [
    { command: 'countersign help', says: 'List the commands' },
    { command: 'countersign help config show', says: 'Explain one' },
  ],
  run: async ({ args, terminal }) => {
    const found = findCommand(args)
    if (args.length > 0 && (!found || found.rest.length > 0)) throw unknownCommand(args)
    const lines = found ? buildCommandHelp(found.row, await found.row.load()) : buildOverview()
    for (const line of lines) terminal.out(line)
    return EXIT.ok
  },
}
