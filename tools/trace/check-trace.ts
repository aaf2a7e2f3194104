import type { TestRecord } from '../test/test-record.ts'
import { readIds } from './read-ids.ts'
import type { Requirement } from './requirements.ts'
import { traceRequirements } from './trace-table.ts'

/** Lists what is wrong between the requirements and the tests of a full run: unknown ids in titles, and ids without a passing test. */
export function checkTrace(requirements: Requirement[], tests: TestRecord[]): string[] {
  const known = new Set(requirements.map(({ id }) => id))
  const unknown = tests.flatMap(({ title, file }) =>
    readIds(title, known).unknown.map((id) => `unknown id ${id} in a title: ${title} (${file})`),
  )
  const untested = traceRequirements(requirements, tests)
    .filter((trace) => trace.tests.length === 0 && trace.open === undefined)
    .map(({ id, what }) => `no passing test names ${id} (${what})`)
  return [...new Set(unknown), ...untested]
}
