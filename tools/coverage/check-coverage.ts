import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'
import type { TestRecord } from '../test/test-record.ts'
import { readNamedTests } from './coverage-table.ts'
import { readIds } from './read-ids.ts'
import { type CoverageRow, loadRows } from './rows.ts'

export const coverageFile = 'docs/coverage.md'

/** Lists what is wrong between the committed docs/coverage.md and the tests of a full run; empty when all is well. */
export function checkCoverage(tests: TestRecord[]): string[] {
  const file = join(root, coverageFile)
  if (!existsSync(file)) return [`${coverageFile} is missing: run npm run coverage`]
  return compareCoverage(readFileSync(file, 'utf8'), loadRows(), tests)
}

/** The same on texts: tests that are named and did not run, ids that nobody knows, rows that the page lacks. */
export function compareCoverage(markdown: string, rows: CoverageRow[], tests: TestRecord[]): string[] {
  const known = new Set(rows.map(({ id }) => id))
  const ran = new Set(tests.map(({ title, file }) => `${title} (${file})`))
  const gone = readNamedTests(markdown)
    .map(({ title, file }) => `${title} (${file})`)
    .filter((test) => !ran.has(test))
    .map((test) => `${coverageFile} names a test that did not run: ${test}`)
  const unknown = tests.flatMap(({ title, file }) =>
    readIds(title, known).unknown.map((id) => `unknown id ${id} in a title: ${title} (${file})`),
  )
  const absent = rows
    .filter(({ id }) => !markdown.includes(`\n| ${id} | `))
    .map(({ id }) => `${coverageFile} has no row ${id}: run npm run coverage`)
  return [...new Set([...gone, ...unknown, ...absent])]
}
