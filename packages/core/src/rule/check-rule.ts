import { fieldError } from '../app-error.ts'
import { readRule } from './compile-rule.ts'
import type { RuleKind, RulePlace } from './rule-environment.ts'

/** Throws for a rule with a mistake, with its position. */
export function checkRule(field: string, text: string, kind: RuleKind, place: RulePlace): void {
  const reading = readRule(text, kind, place)
  if (reading.ok) return
  const { reason, line, column } = reading
  throw fieldError(field, `${field} has a mistake at line ${line}, column ${column}: ${reason}`, text)
}
