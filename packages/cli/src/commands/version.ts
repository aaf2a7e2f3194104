import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { loadVersion } from '../load-version.ts'

export const version: Command = {
  args: [],
  flags: [],
  examples: [{ command: 'countersign version', description: 'Print the version of countersign and Node' }],
  run: async ({ terminal }) => {
    terminal.out(`countersign ${loadVersion()} (node ${process.versions.node})`)
    return EXIT.ok
  },
}
