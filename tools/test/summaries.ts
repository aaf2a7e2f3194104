import type { TestRecord } from './test-record.ts'

const SLOWEST = 10

/** Returns lines with the files that took longest. */
export function listSlowest(durations: readonly (readonly [file: string, ms: number])[]): string[] {
  const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, SLOWEST)
  const lines = slowest.map(([file, ms]) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`)
  return lines.length === 0 ? [] : ['\nThe slowest files:', ...lines]
}

/** Returns lines with the number of skipped tests by reason. The reason says how to have them run. */
export function listSkipped(records: readonly TestRecord[]): string[] {
  const reasons = new Map<string, number>()
  for (const { result, why = 'no reason given' } of records) {
    if (result === 'skipped') reasons.set(why, (reasons.get(why) ?? 0) + 1)
  }
  return reasons.size === 0
    ? []
    : ['\nSkipped, which does not pass:', ...[...reasons].map(([why, count]) => `  ${count}: ${why}`)]
}

/** Returns lines with the tests that passed only when they were repeated. */
export function listUnsteady(tests: readonly string[]): string[] {
  return tests.length === 0 ? [] : ['\nPassed only at the second try:', ...tests.map((each) => `  ${each}`)]
}
