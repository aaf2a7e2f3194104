import { statSync } from 'node:fs'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { DATA_FLAGS, formatBytes, getDataDir, listNames } from '../embedded-data.ts'
import { getFormat, printData } from '../output/print-result.ts'

export const restore: Command = {
  args: ['FILE'],
  flags: [{ name: 'force', description: 'Replace the content of the data directory' }, ...DATA_FLAGS],
  details: ['Stop the controller of the data directory first.'],
  examples: [
    { command: 'countersign restore monday.backup', description: 'Restore .countersign from a backup' },
    {
      command: 'countersign restore --data-dir /var/lib/countersign /backup/monday',
      description: 'Restore another directory',
    },
  ],
  run: async (call) => {
    const file = call.args[0] ?? ''
    const dataDir = getDataDir(call)
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (size === undefined) throw usageError(`${file} does not exist`, 'name the file that "countersign backup" wrote')
    if (listNames(dataDir).length > 0 && call.flags.force !== true) {
      const hint = 'name an empty one with --data-dir, or replace its content with --force'
      throw new CliError(`the data directory ${dataDir} is not empty`, { hint })
    }
    call.terminal.note(`reading ${file} (${formatBytes(size)})…`)
    const { restoreDataDir } = await import('@countersign/server')
    const { explainStartupErrors } = await import('../explain-startup-errors.ts')
    await explainStartupErrors(restoreDataDir(file, dataDir))
    if (getFormat(call) === 'table') call.terminal.out(`restored ${dataDir}`)
    else await printData(call, { dataDir, file, bytes: size }, () => dataDir)
    return EXIT.ok
  },
}
