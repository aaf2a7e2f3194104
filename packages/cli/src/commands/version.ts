import { EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { loadVersion } from '../load-version.ts'
import { getFormat, printData } from '../output/print-result.ts'

export const version: Command = {
  args: [],
  flags: [],
  examples: [{ command: 'countersign version', description: 'Print the version of countersign and Node' }],
  run: async (call) => {
    const [version, { node }] = [loadVersion(), process.versions]
    if (getFormat(call) === 'table') call.terminal.out(`countersign ${version} (node ${node})`)
    else await printData(call, { version, node }, () => version)
    return EXIT.ok
  },
}
