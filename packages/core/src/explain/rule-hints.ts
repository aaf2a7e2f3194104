import { type Hint, hint, quoted, visible } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'

/** One hint for a rule that refuses, with the part that decided and the values that it read. */
export const ruleHints =
  (name: 'acceptRule' | 'attributeRules') =>
  ({ signer, verdict }: HintSubject): Hint[] => {
    const failed = verdict.checks.find(({ check, pass }) => check === name && !pass)
    if (!failed) return []
    const isError = verdict.reason === 'rule-error' || name === 'attributeRules'
    const advice = isError
      ? 'guard claims that may be absent with has(), or configure the provider to add them'
      : `get a token that meets it, or change ${name}`
    const verb = isError ? 'fails for' : 'refuses'
    const text = `the ${name} of the signer ${quoted(signer.name)} ${verb} this token, ${visible(failed.received ?? '')}: ${advice}`
    return [hint(isError ? 'rule-error' : 'rule-refused', text)]
  }
