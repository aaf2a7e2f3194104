import type { TestCase, TestCaseFailure } from '@countersign/contract/signer-test-case'
import { EXIT, usageError } from '../cli-error.ts'
import type { Call, Command } from '../command.ts'
import { getSourceName, loadTextArgument } from '../files/load-text-file.ts'
import { getFormat, printData } from '../output/print-result.ts'
import { parseYaml } from '../resources/field-flags.ts'
import { QUIET_FLAG } from '../session/call-flags.ts'

type Members = Readonly<Record<string, unknown>>

/** A test case, and the name of its signer where the file gives one. */
interface GivenCase {
  readonly signer: string | undefined
  readonly testCase: Members
}

interface CaseResult {
  readonly signer: string
  readonly name: string
  readonly passed: boolean
  readonly expected?: TestCaseFailure['expected']
  readonly received?: TestCaseFailure['received']
}

/** `countersign test`: run the test cases of signers without a controller. */
export const test: Command = {
  args: [],
  flags: [
    { name: 'file', short: 'f', value: 'FILE', description: 'The test cases, or an export with them; - for stdin' },
    { name: 'state', value: 'FILE', description: 'The export with the signers [the file itself]' },
    QUIET_FLAG,
  ],
  details: [
    'Runs test cases with the checks of a login, without a controller. FILE is an export, whose signers have testCases, or has',
    'cases of its own: a list under "cases", each with the name of its "signer", which can be left out when there is one signer.',
    'Exit status: 0 all pass, 1 one differs.',
  ],
  examples: [
    { command: 'countersign test -f state.yaml', description: 'the test cases of the signers in an export' },
    { command: 'countersign test -f cases.yaml --state state.yaml', description: 'cases of their own file' },
  ],
  async run(call) {
    const { file, state } = call.flags
    if (typeof file !== 'string') throw usageError('"countersign test" needs a file', 'write countersign test -f FILE')
    const given = await load(call, file)
    const stored = typeof state === 'string' ? await load(call, state) : given
    const results = await runAll(signersIn(stored, state ?? file), casesIn(given, getSourceName(file)), call)
    await print(call, results)
    return results.every(({ passed }) => passed) ? EXIT.ok : EXIT.failure
  },
}

async function load(call: Call, path: string): Promise<unknown> {
  const text = await loadTextArgument(call, path)
  try {
    return await parseYaml(text)
  } catch (cause) {
    throw usageError(`${getSourceName(path)}: ${(cause as Error).message.split('\n')[0]}`, 'it must be YAML or JSON')
  }
}

function signersIn(state: unknown, source: unknown): readonly Members[] {
  const signers = isObject(state) ? state.signers : undefined
  if (Array.isArray(signers) && signers.length > 0 && signers.every(isObject)) return signers
  throw usageError(
    `${String(source)} has no signers`,
    'write them with countersign export signers, and name the file with --state',
  )
}

/** The cases of the file: of its signers, and its own. */
function casesIn(file: unknown, source: string): readonly GivenCase[] {
  const list = Array.isArray(file) ? file : isObject(file) ? (file.cases ?? file.testCases ?? []) : []
  if (!Array.isArray(list) || !list.every(isObject))
    throw usageError(`${source}: "cases" is not a list of test cases`, 'see "countersign test --help"')
  const own = list.map(({ signer, ...testCase }) => ({
    signer: typeof signer === 'string' ? signer : undefined,
    testCase,
  }))
  const signers = isObject(file) && Array.isArray(file.signers) ? file.signers.filter(isObject) : []
  const ofSigners = signers.flatMap(({ name, testCases }) =>
    Array.isArray(testCases)
      ? testCases.map((testCase) => ({ signer: String(name), testCase: testCase as Members }))
      : [],
  )
  if (own.length + ofSigners.length === 0)
    throw usageError(`${source} has no test cases`, 'see "countersign test --help"')
  return [...own, ...ofSigners]
}

async function runAll(signers: readonly Members[], cases: readonly GivenCase[], call: Call): Promise<CaseResult[]> {
  const { AppError, checkTestCases, readBody, runTestCases, signerFromBody } = await import('@countersign/core')
  const { ExtJwtSignerWrite } = await import('@countersign/contract/ext-jwt-signer')
  const byName = new Map(signers.map((signer) => [String(signer.name), signer]))
  const only = byName.size === 1 ? [...byName.keys()][0] : undefined
  const results: CaseResult[] = []
  for (const [name = '', given] of Map.groupBy(cases, ({ signer = only }) => signer)) {
    const signer = byName.get(name)
    if (!signer)
      throw usageError(
        name === '' ? 'a test case names no signer' : `there is no signer ${name}`,
        `there are ${[...byName.keys()].join(', ')}`,
      )
    try {
      const body = { ...signer, testCases: given.map(({ testCase }) => testCase) }
      const settings = signerFromBody(readBody(ExtJwtSignerWrite, body as never) as never)
      checkTestCases(settings.testCases)
      const failures = new Map(
        runTestCases({ ...settings, id: name }, Date.now()).map((failure) => [failure.name, failure]),
      )
      results.push(...settings.testCases.map((testCase) => resultOf(name, testCase, failures.get(testCase.name))))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw usageError(
        `the signer ${name} or its test cases cannot be used: ${error.message}`,
        'export it again, or correct the case',
      )
    }
  }
  call.terminal.debug(`${results.length} test cases`)
  return results
}

function resultOf(signer: string, { name }: TestCase, failure: TestCaseFailure | undefined): CaseResult {
  const { expected, received } = failure ?? {}
  return { signer, name, passed: !failure, ...(expected && { expected }), ...(received && { received }) }
}

async function print(call: Call, results: readonly CaseResult[]): Promise<void> {
  if (getFormat(call) !== 'table') return printData(call, results)
  for (const { signer, name, passed, expected, received } of results) {
    call.terminal.out([passed ? ['green', '✔ '] : ['red', '✘ '], `${signer}: ${name}`])
    if (passed) continue
    call.terminal.out(`    expected ${JSON.stringify(expected)}`)
    call.terminal.out(`    received ${JSON.stringify(received)}`)
  }
  const failed = results.filter(({ passed }) => !passed).length
  call.terminal.out(failed === 0 ? `${results.length} passed` : `${failed} of ${results.length} failed`)
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
