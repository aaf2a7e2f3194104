/** What became of one test; `skipped` stands for skip and todo, which never count as passed. */
export type TestRecord = { title: string; file: string; result: 'passed' | 'failed' | 'skipped'; why?: string }

/** What `.test-report/tests.json` holds. */
export type TestReport = { full: boolean; tests: TestRecord[] }

export const reportFile = '.test-report/tests.json'
