import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { backupDataDir } from '@countersign/server'
import { CliError, EXIT } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { DATA_FLAGS, formatBytes, getDataDir, listNames } from '../embedded-data.ts'
import { explainStartupErrors } from '../explain-startup-errors.ts'

export const backup: Command = {
  args: ['FILE'],
  flags: [{ name: 'force', description: 'Replace FILE if it exists' }, ...DATA_FLAGS],
  details: ['The file holds private keys and is readable by you alone. Keep it like a password.'],
  examples: [
    { command: 'countersign backup monday.backup', says: 'Copy the running controller of this directory' },
    { command: 'countersign backup --data-dir /var/lib/countersign /backup/monday', says: 'Copy another one' },
  ],
  run: async (call) => {
    const file = call.args[0] ?? ''
    const dataDir = getDataDir(call)
    if (listNames(dataDir).length === 0) {
      throw new CliError(`there is no data in ${dataDir}`, { hint: 'name the directory with --data-dir' })
    }
    if (!existsSync(dirname(file))) throw new CliError(`the directory ${dirname(file)} does not exist`, {})
    if (existsSync(file) && call.flags.force !== true) {
      throw new CliError(`${file} exists already`, { hint: 'choose another name, or replace it with --force' })
    }
    // The copy holds private keys: nobody else may read it, from its first byte on.
    process.umask(0o077)
    call.terminal.note(`copying ${dataDir}…`)
    // Under another name until it is whole: a broken copy must not look like a backup, nor replace a good one.
    const partial = `${file}.partial`
    try {
      rmSync(partial, { force: true })
      await explainStartupErrors(backupDataDir(dataDir, partial))
      renameSync(partial, file)
    } finally {
      rmSync(partial, { force: true })
    }
    call.terminal.out(`wrote ${file} (${formatBytes(statSync(file).size)})`)
    return EXIT.ok
  },
}
