/** What became of one test; `skipped` stands for skip and todo, which never count as passed. */
export type TestRecord = { title: string; file: string; result: 'passed' | 'failed' | 'skipped'; why?: string }

/** What the last full run left in `reportFile`. */
export type TestReport = { tests: TestRecord[] }

export const reportFile = '.test-report/full-run.json'
