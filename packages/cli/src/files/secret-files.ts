import { CliError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { findSystemErrorWords } from '../system-error.ts'
import { type ReservedFile, reservePrivateFile } from './private-file.ts'

/** Where secrets go that are shown once. */
export interface SecretPlaces {
  readonly paths: readonly string[]
  /** Whether files that are there may be replaced. */
  readonly replace: boolean
}

/**
 * Does work that is answered with secrets which nobody can ask for again. Their files are reserved first: where one cannot be
 * written, nothing is done. What cannot be written all the same is shown on the terminal, and the call fails.
 */
export async function withSecretFiles<Result>(
  { terminal }: Pick<Call, 'terminal'>,
  { paths, replace }: SecretPlaces,
  work: (keep: (...texts: readonly string[]) => void) => Promise<Result>,
): Promise<Result> {
  const files: ReservedFile[] = []
  try {
    for (const path of paths) files.push(reservePrivateFile(path, { replace }))
    return await work((...texts) => keepAll(terminal, files, texts))
  } finally {
    for (const file of files) file.release()
  }
}

function keepAll(terminal: Call['terminal'], files: readonly ReservedFile[], texts: readonly string[]): void {
  const failures = files.flatMap((file, index) => {
    const text = texts[index] ?? ''
    try {
      file.write(text)
      return []
    } catch (error) {
      terminal.tell(`This belongs into ${file.path}, and is shown nowhere else:`)
      for (const line of text.trimEnd().split('\n')) terminal.tell(line)
      return [describe(file.path, error)]
    }
  })
  if (failures.length > 0) throw new CliError(failures, { hint: 'it was done: keep what is shown above' })
}

function describe(path: string, error: unknown): string {
  if (error instanceof CliError) return error.message
  return findSystemErrorWords(error, path) ?? `cannot write ${path}: ${String(error)}`
}
