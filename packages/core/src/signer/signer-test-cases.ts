import type {
  TestCase,
  TestCaseExpectation,
  TestCaseFailure,
  TestCaseResult,
} from '@countersign/contract/signer-test-case'
import { AppError, fieldError } from '../app-error.ts'
import { readAttributes, selectedClaim } from '../enrollment/enrollment-claims.ts'
import { sortedUnique } from '../identity/attribute-parts.ts'
import { isJsonObject, type JsonObject } from '../json/json-value.ts'
import { MAX_RULE_COST, newRuleBudget, RuleBudget } from '../rule/rule-run.ts'
import { CHECKS, type Check, type CheckName } from '../token/verdict.ts'
import { buildVerifySigner } from '../token/verify-signer.ts'
import { evaluateClaims } from '../token/verify-token.ts'
import type { SignerSettings } from './signer-settings.ts'

export type { TestCase, TestCaseExpectation, TestCaseFailure, TestCaseResult }

const FIELD = 'testCases'
/** Every save runs them, in one transaction. */
const MAX_TOTAL_LENGTH = 131_072
/** Of all rules for all test cases of a save, which is about a tenth of a second: 17 rules and 64 cases could each cost as much as a login may. */
const MAX_TOTAL_COST = 20 * MAX_RULE_COST
/** Of these a test case says nothing: it has no signature. */
const KEY_CHECKS: readonly CheckName[] = ['kid', 'key', 'signature']
const TESTED_CHECKS = CHECKS.filter((check) => !KEY_CHECKS.includes(check))

/** Throws for the first test case that is invalid by itself. */
export function checkTestCases(cases: readonly TestCase[]): void {
  const seen = new Set<string>()
  for (const [index, { name, now, expect }] of cases.entries()) {
    const path = `${FIELD}.${index}`
    if (name.trim() === '') throw fieldError(`${path}.name`, 'a test case needs a name', name)
    if (seen.has(name)) throw fieldError(`${path}.name`, 'each test case needs a name of its own', name)
    seen.add(name)
    if (now !== undefined && timeOf(now) === undefined) {
      throw fieldError(`${path}.now`, 'now is a date and time such as 2026-01-31T12:00:00Z, or seconds since 1970', now)
    }
    checkExpectation(expect, `${path}.expect`)
  }
  if (JSON.stringify(cases).length > MAX_TOTAL_LENGTH) {
    throw fieldError(FIELD, `the test cases may have at most ${MAX_TOTAL_LENGTH} characters together`, '')
  }
}

function checkExpectation({ outcome, check, attributes, externalId }: TestCaseExpectation, path: string): void {
  if (check !== undefined && !TESTED_CHECKS.some((known) => known === check)) {
    throw fieldError(`${path}.check`, `check is one of ${TESTED_CHECKS.join(', ')}`, check)
  }
  if (outcome === 'accepted' && check !== undefined) {
    throw fieldError(`${path}.check`, 'only a refused token fails a check', check)
  }
  if (outcome === 'refused' && (attributes !== undefined || externalId !== undefined)) {
    throw fieldError(`${path}.outcome`, 'only an accepted token has attributes and an externalId', outcome)
  }
}

/** The settings that decide about the claims of a test case. */
export type TestedSigner = SignerSettings & { readonly id: string; readonly revision?: string | number }

/** The cost of the test cases of one request. */
export const newTestBudget = (): RuleBudget => new RuleBudget(MAX_TOTAL_COST)

/**
 * Runs the test cases of a signer, with the checks that a login makes. Returns those that do not have the expected result. Throws when the rules take too
 * long for all of them together.
 */
export function runTestCases(
  signer: TestedSigner,
  nowMs: number,
  { cases = signer.testCases, budget = newTestBudget() }: TestOptions = {},
): TestCaseFailure[] {
  if (cases.length === 0) return []
  const verify = buildVerifySigner({ revision: 0, ...signer })
  const failures = cases.flatMap(({ name, claims, header, now, expect }) => {
    const at = now === undefined ? nowMs : (timeOf(now) ?? nowMs)
    const verdict = evaluateClaims(claims as JsonObject, objectOf(header), verify, at, newRuleBudget(budget))
    const received: TestCaseResult = verdict.accepted
      ? {
          outcome: 'accepted',
          externalId: verdict.identityClaim,
          ...givenAttributes(signer, claims as JsonObject, verdict.ruleAttributes),
        }
      : { outcome: 'refused', check: verdict.check, reason: verdict.reason }
    return isAsExpected(expect, received) ? [] : [{ name, expected: expect, received, verdict }]
  })
  if (budget.isSpent)
    throw fieldError(FIELD, 'the rules take too long for all test cases together: use fewer or smaller ones', '')
  // A description evaluates a rule again.
  return failures.map(({ verdict, received, ...failure }) => ({
    ...failure,
    received: verdict.accepted ? received : { ...received, text: textOf(verdict.describe()) },
  }))
}

const textOf = ({ expected, received }: Check): string => `expected ${expected}; received ${received ?? 'nothing'}`

interface TestOptions {
  readonly cases?: readonly TestCase[]
  /** One for all changes of a request. */
  readonly budget?: RuleBudget
}

/** Throws TEST_CASE_FAILED unless the signer passes its test cases. */
export function requirePassedTestCases(signer: TestedSigner, nowMs: number, budget?: RuleBudget): void {
  // A disabled signer accepts no token, and a case without `now` fails some day: it must not keep the signer enabled.
  if (!signer.enabled) return
  const failures = runTestCases(signer, nowMs, budget && { budget })
  if (failures.length === 0) return
  const names = failures.map(({ name }) => JSON.stringify(name)).join(', ')
  const message = `${failures.length} of ${signer.testCases.length} test cases failed: ${names}`
  throw new AppError('TEST_CASE_FAILED', { message, failures })
}

function givenAttributes(
  { enrollAttributeClaimsSelector }: SignerSettings,
  claims: JsonObject,
  byRules: readonly string[],
): Pick<TestCaseResult, 'attributes' | 'text'> {
  const read = readAttributes(selectedClaim(enrollAttributeClaimsSelector, claims))
  const attributes = sortedUnique([...(read.ok ? read.value : []), ...byRules])
  return read.ok ? { attributes } : { attributes, text: read.reason }
}

function isAsExpected(expected: TestCaseExpectation, received: TestCaseResult): boolean {
  return (
    expected.outcome === received.outcome &&
    (expected.check ?? received.check) === received.check &&
    (expected.externalId ?? received.externalId) === received.externalId &&
    (expected.attributes === undefined ||
      JSON.stringify(sortedUnique(expected.attributes)) === JSON.stringify(received.attributes))
  )
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value as JsonObject) ? (value as JsonObject) : {}
}

/** The end of the year 9999, after which no token is valid. */
const LATEST_MS = 253_402_300_799_000
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i

/** In milliseconds; undefined for what is no time. */
function timeOf(now: string | number): number | undefined {
  const ms = typeof now === 'number' ? now * 1000 : DATE_TIME.test(now) ? Date.parse(now) : Number.NaN
  return ms >= 0 && ms <= LATEST_MS ? ms : undefined
}
