import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject } from '../json/json-value.ts'
import { type CompiledRule, readRule } from './compile-rule.ts'
import { findRuleRefusal, ruleAttributes } from './judge-rule.ts'
import { variablesOf } from './rule.fixture.ts'
import type { RuleKind } from './rule-environment.ts'
import { newRuleBudget } from './rule-run.ts'

const PAGE = new URL('../../../../docs/rules.md', import.meta.url)
const RECIPE = /^### (?<title>.+)\n\n```cel (?<kind>accept|attributes)\n(?<rule>[^`]+)\n```\n(?<rest>[^#]*)/gm

const CLAIMS = {
  accepted: /^\| accepted \| `(.+)` \|$/m,
  refused: /^\| refused \| `(.+)` \|$/m,
}
const claimsIn = (rest: string, outcome: keyof typeof CLAIMS): JsonObject | undefined => {
  const [, json] = CLAIMS[outcome].exec(rest) ?? []
  return json === undefined ? undefined : (JSON.parse(json) as JsonObject)
}

const accepts = (rule: CompiledRule, claims: JsonObject): boolean =>
  rule.kind === 'accept'
    ? findRuleRefusal(rule, variablesOf(claims)) === undefined
    : ruleAttributes([rule], variablesOf(claims), newRuleBudget()).ok

test('each rule of the cookbook is valid, and does what the page says', () => {
  const recipes = [...readFileSync(PAGE, 'utf8').matchAll(RECIPE)]
  assert.equal(recipes.length, 20)
  for (const { groups } of recipes) {
    const { title = '', kind, rule = '', rest = '' } = groups ?? {}
    const reading = readRule(rule, kind as RuleKind, 'signer')
    assert.ok(reading.ok, title)
    const [accepted, refused] = [claimsIn(rest, 'accepted'), claimsIn(rest, 'refused')]
    assert.ok(accepted, title)
    assert.equal(accepts(reading.rule, accepted), true, title)
    // Rules over the request alone have no claims that are refused.
    assert.equal(refused === undefined, !rule.includes('claims'), title)
    if (refused) assert.equal(accepts(reading.rule, refused), false, title)
  }
})
