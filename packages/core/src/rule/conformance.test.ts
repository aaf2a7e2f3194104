import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js'
import { planRule, RuleMistake, type RuleStep } from './plan-rule.ts'
import { environmentOf } from './rule-environment.ts'
import { RuleFault, type RuleResult, RuleRun } from './rule-run.ts'
import { isRuleList, isRuleMap, RuleDouble, RuleDuration, type RuleElement } from './rule-value.ts'

/** A value of a vector, as JSON of `cel.expr.Value`. */
// biome-ignore lint/suspicious/noExplicitAny: vectors have values of every shape
type VectorValue = any

interface Vector {
  readonly name: string
  readonly expr: string
  readonly value?: VectorValue
  readonly evalError?: unknown
  readonly bindings?: unknown
  readonly container?: string
  readonly disableCheck?: boolean
}

type Suite = { readonly name: string; readonly suites?: readonly Suite[]; readonly tests?: readonly unknown[] }

function vectorsOf({ name, suites = [], tests: own = [] }: Suite, path = ''): Vector[] {
  const vectors = own.map((entry) => {
    const { original } = entry as { readonly original: Vector }
    return { ...original, name: `${path}${name}/${original.name}` }
  })
  return [...vectors, ...suites.flatMap((suite) => vectorsOf(suite, `${path}${name}/`))]
}

/** The expression as a rule that is ready; undefined for what rules leave out of CEL, which is found when they are saved. */
function findStep(expression: string): RuleStep | undefined {
  try {
    const parsed = environmentOf('signer').parse(expression)
    return parsed.check().valid ? planRule(parsed.ast) : undefined
  } catch (error) {
    if (error instanceof RuleMistake || (error instanceof Error && error.name === 'ParseError')) return undefined
    throw error
  }
}

/** The value in the form of the vectors. Maps are sorted. */
function shown(element: RuleElement): unknown {
  if (element === null) return { nullValue: null }
  if (typeof element === 'boolean') return { boolValue: element }
  if (typeof element === 'bigint') return { int64Value: String(element) }
  if (typeof element === 'string') return { stringValue: element }
  if (element instanceof RuleDouble) return { doubleValue: element.value }
  if (element instanceof Date) return { timestamp: element.getTime() }
  if (element instanceof RuleDuration) return { durationMs: element.ms }
  if (isRuleList(element)) return { listValue: element.map(shown) }
  if (!isRuleMap(element)) throw new TypeError('a number of JSON')
  return {
    mapValue: Object.entries(element)
      .map(([key, value]) => [key, shown(value)])
      .toSorted(),
  }
}

function expected(value: VectorValue): unknown {
  if ('doubleValue' in value) return { doubleValue: Number(value.doubleValue) }
  if ('listValue' in value) return { listValue: (value.listValue.values ?? []).map(expected) }
  if ('mapValue' in value) {
    const entries: VectorValue[] = value.mapValue.entries ?? []
    return { mapValue: entries.map((entry) => [entry.key.stringValue, expected(entry.value)]).toSorted() }
  }
  const { '@type': type, value: text } = value.objectValue ?? {}
  if (type?.endsWith('Timestamp')) return { timestamp: Date.parse(text) }
  if (type?.endsWith('Duration')) return { durationMs: Number(text.slice(0, -1)) * 1000 }
  return value
}

/** Vectors whose result differs, with the reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'conformance/timestamps/timestamp_range/add_duration_nanos_over': 'times have milliseconds',
  'conformance/timestamps/timestamp_range/add_duration_nanos_under': 'times have milliseconds',
}

test('the subset of CEL that rules have passes the vectors of its specification', () => {
  const vectors = vectorsOf(tests as Suite).filter(
    ({ bindings, value, evalError }) => !bindings && (value || evalError),
  )
  const passed: string[] = []
  const failed: string[] = []
  for (const { name, expr, value, evalError } of vectors) {
    const step = findStep(expr)
    if (!step) continue
    const result: RuleResult = step(new RuleRun({ claims: {} }))
    const isRight = evalError
      ? result instanceof RuleFault
      : !(result instanceof RuleFault) && isEqual(shown(result), expected(value))
    if (isRight) passed.push(name)
    else
      failed.push(`${name}: ${expr} is ${result instanceof RuleFault ? result.message : JSON.stringify(shown(result))}`)
  }
  const unexplained = failed.filter((text) => !Object.hasOwn(DIFFERENT, text.slice(0, text.indexOf(':'))))
  assert.deepEqual(unexplained, [])
  assert.equal(failed.length, Object.keys(DIFFERENT).length)
  assert.ok(passed.length > 500, `${passed.length} of ${vectors.length} vectors`)
})

function isEqual(left: unknown, right: unknown): boolean {
  try {
    assert.deepEqual(left, right)
    return true
  } catch {
    return false
  }
}
