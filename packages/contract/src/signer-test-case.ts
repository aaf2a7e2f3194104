import { name, openObject, text } from './body-members.ts'
import Type from './schema/type.ts'

export const MAX_TEST_CASES = 64
export const TEST_CASE_OUTCOMES = ['accepted', 'refused'] as const

const expectation = () =>
  Type.Object({
    outcome: Type.Enum([...TEST_CASE_OUTCOMES]),
    /** Of a refusal: the check that fails first, such as `audience`. */
    check: Type.Optional(text(64)),
    /** Of an accepted token: the attributes that it gives, in any order. */
    attributes: Type.Optional(Type.Array(text(), { maxItems: 256 })),
    /** Of an accepted token: the value that names the identity. */
    externalId: Type.Optional(text()),
  })

/** Claims, and what the signer says to a token that has them. */
export const testCase = () =>
  Type.Object({
    name: name(),
    claims: openObject(),
    header: Type.Optional(openObject()),
    /** When the token is presented: a date and time, or seconds since 1970. Default: when the case is run. */
    now: Type.Optional(Type.Union([text(64), Type.Number()])),
    expect: expectation(),
  })

export interface TestCaseExpectation {
  readonly outcome: (typeof TEST_CASE_OUTCOMES)[number]
  readonly check?: string
  readonly attributes?: readonly string[]
  readonly externalId?: string
}

export interface TestCase {
  readonly name: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  readonly now?: string | number
  readonly expect: TestCaseExpectation
}

/** What the signer says to the claims of a test case, with the reason of a refusal and a text about it. */
export interface TestCaseResult extends TestCaseExpectation {
  readonly reason?: string
  readonly text?: string
}

/** A test case whose result differs from what it expects. */
export interface TestCaseFailure {
  readonly name: string
  readonly expected: TestCaseExpectation
  readonly received: TestCaseResult
}
