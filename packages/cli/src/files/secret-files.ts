import { CliError } from '../cli-error.ts'
import type { Call } from '../command.ts'
import { describeSystemError } from '../describe-system-error.ts'
import { type ReservedFile, reservePrivateFile } from './private-file.ts'

/** The files for secrets that the server issues only once. */
export interface SecretFiles {
  readonly paths: readonly string[]
  /** Whether existing files can be replaced. */
  readonly replace: boolean
}

/**
 * Runs `work`, which receives secrets that the server issues only once. Reserves their files first, so that nothing is done when one cannot
 * be written. If writing fails later all the same, prints the secret on stderr and throws.
 */
export async function withSecretFiles<Result>(
  { terminal }: Pick<Call, 'terminal'>,
  { paths, replace }: SecretFiles,
  work: (save: (...texts: readonly string[]) => void) => Promise<Result>,
): Promise<Result> {
  const files: ReservedFile[] = []
  try {
    for (const path of paths) files.push(reservePrivateFile(path, { replace }))
    return await work((...texts) => saveAll(terminal, files, texts))
  } finally {
    for (const file of files) file.release()
  }
}

function saveAll(terminal: Call['terminal'], files: readonly ReservedFile[], texts: readonly string[]): void {
  const failures = files.flatMap((file, index) => {
    const text = texts[index] ?? ''
    try {
      file.write(text)
      return []
    } catch (error) {
      terminal.notice(`This is the content of ${file.path}. It is not shown again:`)
      for (const line of text.trimEnd().split('\n')) terminal.notice(line)
      return [describe(file.path, error)]
    }
  })
  if (failures.length > 0) throw new CliError(failures, { hint: 'the change was made: save the text above' })
}

function describe(path: string, error: unknown): string {
  if (error instanceof CliError) return error.message
  return describeSystemError(error, path) ?? `cannot write ${path}: ${String(error)}`
}
