import { readFileSync } from 'node:fs'
import { CliError, EXIT } from '../cli-error.ts'
import type { Call } from '../command.ts'

/** Why a path names no file that can be read. */
const NO_FILE: Readonly<Record<string, string>> = { ENOENT: 'does not exist', EISDIR: 'is a folder' }

/** Throws CliError when there is no such file. */
export function loadTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw missingFile(path, cause)
  }
}

/** The error to throw when a file could not be read: a CliError when it does not exist, else `cause`. */
export function missingFile(path: string, cause: unknown): unknown {
  const reason = NO_FILE[(cause as NodeJS.ErrnoException).code ?? '']
  if (reason === undefined) return cause
  return new CliError(`${path} ${reason}`, { hint: 'check the path', exitCode: EXIT.usage, cause })
}

/** Reads a file, or stdin for `-`. */
export async function loadTextArgument(call: Pick<Call, 'input'>, path: string): Promise<string> {
  return path === '-' ? call.input.readAll() : loadTextFile(path)
}

/** The name of the file in errors. */
export function getSourceName(path: string): string {
  return path === '-' ? 'stdin' : path
}
