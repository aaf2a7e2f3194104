import { readFileSync } from 'node:fs'
import { CliError } from '../cli-error.ts'
import type { Call } from '../command.ts'

/** The text of a file that was named. Throws with words for what is wrong with it. */
export function loadTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const isAbsent = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    if (!isAbsent) throw cause
    throw new CliError(`${path} does not exist`, { hint: 'is the path right?', cause })
  }
}

/** The text of a file, or of stdin for `-`. */
export async function loadTextArgument(call: Pick<Call, 'input'>, path: string): Promise<string> {
  return path === '-' ? call.input.readAll() : loadTextFile(path)
}

/** What errors call it. */
export function nameTextArgument(path: string): string {
  return path === '-' ? 'stdin' : path
}
