import type { RunResult } from './run-files.ts'

/** More files than these do not fail by the load of the machine. */
const MAX_FILES = 5

export interface RepeatedResult extends RunResult {
  /** The failures that did not happen again. */
  readonly unsteady: readonly string[]
}

/**
 * Runs the files that failed once more, alone: next to other processes, a browser or a clock can be too slow for a test. What a file did the second time counts.
 * `files` are relative to the root, like those in the records.
 */
export async function repeatFailed(
  first: RunResult,
  files: readonly string[],
  run: (failed: readonly string[]) => Promise<RunResult>,
): Promise<RepeatedResult> {
  const failures = first.records.filter(({ result }) => result === 'failed')
  const failed = [...new Set(failures.map(({ file }) => file))]
  const canRepeat = failed.length <= MAX_FILES && failed.every((file) => files.includes(file))
  if (failed.length === 0 || !canRepeat) return { ...first, unsteady: [] }
  const { records } = await run(failed)
  const unsteady = failures
    .filter(
      ({ file, title }) =>
        !records.some((again) => again.file === file && again.title === title && again.result !== 'passed'),
    )
    .map(({ file, title }) => `${title} (${file})`)
  return { ...first, records: [...first.records.filter(({ file }) => !failed.includes(file)), ...records], unsteady }
}
