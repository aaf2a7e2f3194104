import { MAX_RULE_LENGTH } from '@countersign/contract/limits'
import { type ASTNode, ParseError, TypeError as RuleTypeError } from '@marcbachmann/cel-js'
import { createLruCache } from '../create-lru-cache.ts'
import { hasUnsafeCharacter } from '../text/plain-text.ts'
import { planRule, RuleMistake, type RuleStep } from './plan-rule.ts'
import { environmentOf, type RuleKind, type RulePlace, resultError } from './rule-environment.ts'
import { type RuleReferences, referencesOf } from './rule-references.ts'
import {
  MAX_RULE_COST,
  OVERSPENT,
  OVERSPENT_TOGETHER,
  type RuleBudget,
  type RuleRange,
  type RuleResult,
  RuleRun,
  type RuleVariables,
} from './rule-run.ts'

/** A rule that is ready to be evaluated. */
export interface CompiledRule {
  readonly text: string
  readonly kind: RuleKind
  readonly references: RuleReferences
  /** For explanations. */
  readonly root: ASTNode
  readonly step: RuleStep
}

/** A mistake in a rule. Lines and columns begin at 1. */
export interface RuleError {
  readonly reason: string
  readonly line: number
  readonly column: number
}

export type RuleReading = { readonly ok: true; readonly rule: CompiledRule } | ({ readonly ok: false } & RuleError)

/** Characters of rules. A compiled one takes a hundred times the memory of its text. */
const MAX_CACHED = 262_144
/** Signers and policies are read again after each change; a rule is compiled once for all of them. */
const compiled = createLruCache<string, CompiledRule>(MAX_CACHED, { weightOf: ({ text }) => text.length })

/** Checks a rule and prepares it. A mistake has its position. */
export function readRule(text: string, kind: RuleKind, place: RulePlace): RuleReading {
  const key = `${place} ${kind} ${text}`
  const known = compiled.get(key)
  if (known) return { ok: true, rule: known }
  const reading = readNewRule(text, kind, place)
  if (reading.ok) compiled.set(key, reading.rule)
  return reading
}

function readNewRule(text: string, kind: RuleKind, place: RulePlace): RuleReading {
  if (Buffer.byteLength(text) > MAX_RULE_LENGTH)
    return mistake(text, `the rule is longer than ${MAX_RULE_LENGTH} bytes`)
  if (text.trim() === '') return mistake(text, 'the rule is empty')
  const unsafe = findUnsafe(text)
  if (unsafe !== undefined) return mistake(text, UNSAFE, { start: unsafe, end: unsafe })
  try {
    const parsed = environmentOf(place).parse(text)
    const { type, error } = parsed.check()
    if (error) throw error
    const reason = resultError(kind, type ?? '')
    if (reason !== undefined) return mistake(text, reason)
    const step = planRule(parsed.ast)
    return { ok: true, rule: { text, kind, references: referencesOf(parsed.ast), root: parsed.ast, step } }
  } catch (error) {
    if (error instanceof RuleMistake) return mistake(text, error.message, error.at)
    if (error instanceof ParseError || error instanceof RuleTypeError)
      return mistake(text, summaryOf(error), error.range)
    // Of the library, for thousands of operators in a row.
    if (error instanceof RangeError) return mistake(text, 'the expression is nested too deeply')
    throw error
  }
}

const UNSAFE =
  'control, zero-width and bidirectional characters are refused, since they make a rule look like another one'

/** The offset of a character that could make a rule look like another one. A rule may have several lines. */
function findUnsafe(text: string): number | undefined {
  let offset = 0
  for (const character of text) {
    if (!'\n\r\t'.includes(character) && hasUnsafeCharacter(character)) return offset
    offset += character.length
  }
  return undefined
}

/** The library's texts begin in upper or lower case, and name its tokens. */
function summaryOf({ summary }: ParseError | RuleTypeError): string {
  const [first = '', ...rest] = summary
  return (first.toLowerCase() + rest.join('')).replace('token: EOF', 'end')
}

function mistake(text: string, reason: string, at: RuleRange = { start: 0, end: 0 }): RuleReading {
  return { ok: false, reason, ...positionOf(text, at.start) }
}

/** The line and the column of an offset. */
export function positionOf(text: string, offset: number): Pick<RuleError, 'line' | 'column'> {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}

/**
 * The rule of a stored text.
 * @throws {TypeError} for a text that was not validated
 */
export function compileRule(text: string, kind: RuleKind, place: RulePlace): CompiledRule {
  const reading = readRule(text, kind, place)
  if (!reading.ok) throw new TypeError(`the stored rule is not valid: ${reading.reason}`)
  return reading.rule
}

interface EvaluateOptions {
  /** What the rule may cost together with others. */
  readonly budget?: RuleBudget | undefined
  /** For explanations. */
  readonly trace?: Map<object, RuleResult>
}

/** The value of a rule, or why it has none. Never throws, whatever the claims are. */
export function evaluateRule(
  rule: CompiledRule,
  variables: RuleVariables,
  { budget, trace }: EvaluateOptions = {},
): RuleResult {
  const most = budget ? Math.min(MAX_RULE_COST, budget.left) : MAX_RULE_COST
  const run = new RuleRun(variables, trace, most)
  const result = rule.step(run)
  // Not more: the step that would have cost too much was not made.
  budget?.spend(Math.min(most, run.cost))
  if (!run.isOverspent) return result
  return most < MAX_RULE_COST ? OVERSPENT_TOGETHER : OVERSPENT
}
