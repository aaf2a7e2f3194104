import { readdirSync } from 'node:fs'
import { CliError } from './cli-error.ts'
import type { Call, Flag } from './command.ts'
import { buildSettingFlags, loadCallSettings } from './load-call-settings.ts'

/** The flags that locate the data directory for backup and restore. */
export const DATA_FLAGS: readonly Flag[] = buildSettingFlags(['data-dir', 'database'])

/** The data directory. Throws when the data is in PostgreSQL, which has its own backup tools. */
export function getDataDir(call: Call): string {
  const { settings } = loadCallSettings(call)
  if (settings.database !== 'sqlite') {
    throw new CliError('the data is in PostgreSQL, and this command copies only the embedded database', {
      hint: 'use pg_dump and pg_restore for the database, and keep a copy of the data directory for the keys',
    })
  }
  return settings.dataDir
}

/** The names in a directory; empty when it does not exist. */
export function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1.5 MiB` */
export function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** step
  return `${step === 0 ? amount : amount.toFixed(1)} ${UNITS[step]}`
}
