import { readFileSync } from 'node:fs'
import { CliError } from '../cli-error.ts'
import type { Call } from '../command.ts'

/** Throws CliError when the file does not exist. */
export function loadTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const isAbsent = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    if (!isAbsent) throw cause
    throw new CliError(`${path} does not exist`, { hint: 'check the path', cause })
  }
}

/** Reads a file, or stdin for `-`. */
export async function loadTextArgument(call: Pick<Call, 'input'>, path: string): Promise<string> {
  return path === '-' ? call.input.readAll() : loadTextFile(path)
}

/** The name of the file in errors. */
export function getSourceName(path: string): string {
  return path === '-' ? 'stdin' : path
}
