import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliError, EXIT, usageError } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { DATA_FLAGS, formatBytes, getDataDir, listNames } from '../embedded-data.ts'
import { createPrivateDraft } from '../files/private-file.ts'
import { getFormat, printData } from '../output/print-result.ts'

export const backup: Command = {
  args: ['FILE'],
  flags: [{ name: 'force', description: 'Replace FILE if it exists' }, ...DATA_FLAGS],
  details: ['The file contains private keys and is readable only by you. Protect it like a password.'],
  examples: [
    { command: 'countersign backup monday.backup', description: 'Back up the controller of this directory' },
    {
      command: 'countersign backup --data-dir /var/lib/countersign /backup/monday',
      description: 'Back up another one',
    },
  ],
  run: async (call) => {
    const file = call.args[0] ?? ''
    const dataDir = getDataDir(call)
    if (listNames(dataDir).length === 0) {
      throw new CliError(`there is no data in ${dataDir}`, { hint: 'name the directory with --data-dir' })
    }
    if (!existsSync(dirname(file)))
      throw usageError(`the directory ${dirname(file)} does not exist`, 'create it, or name another file')
    if (existsSync(file) && call.flags.force !== true) {
      throw new CliError(`${file} exists already`, { hint: 'choose another name, or replace it with --force' })
    }
    const { backupDataDir } = await import('@countersign/server')
    const { explainStartupErrors } = await import('../explain-startup-errors.ts')
    // The backup contains private keys: it must never be readable by others.
    process.umask(0o077)
    call.terminal.note(`copying ${dataDir}…`)
    // Written under another name, so that a broken copy neither looks like a backup nor replaces a good one.
    const draft = createPrivateDraft(file)
    try {
      await explainStartupErrors(backupDataDir(dataDir, draft))
      renameSync(draft, file)
    } finally {
      for (const path of [draft, `${draft}-journal`]) rmSync(path, { force: true })
    }
    const { size: bytes } = statSync(file)
    if (getFormat(call) === 'table') call.terminal.out(`wrote ${file} (${formatBytes(bytes)})`)
    else await printData(call, { file, bytes, dataDir }, () => file)
    return EXIT.ok
  },
}
