import assert from 'node:assert/strict'
import {
  explainRule,
  findRuleRefusal,
  JsonError,
  type JsonObject,
  type RuleVariables,
  readJson,
  readRule,
  signerVariables,
} from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'

const CLAIMS: JsonObject = {
  sub: 'repo:acme/app',
  email: 'ann@acme.example',
  groups: ['dev', 'ops', 'qa'],
  level: 3,
  ratio: 0.5,
  nested: { list: [1, [2], { a: null }] },
}

function variablesOf(claims: JsonObject): RuleVariables {
  const request = { method: 'POST', address: '10.1.2.3' }
  return signerVariables({ claims, header: { alg: 'RS256' }, signer: { id: 's', name: 'n' }, request, nowMs: 1.79e12 })
}

const RULES = [
  'claims.sub == "repo:acme/app" && claims.level >= 2 || has(claims.email)',
  'claims.groups.exists(g, glob(g, "d*")) && claims.groups.all(g, size(g) < 9) && claims.groups.exists_one(g, g == "qa")',
  'claims.groups.map(g, g + "x").filter(g, g in ["devx"]) == ["devx"]',
  'lower(domain(claims.email)) == "acme.example" && inCidr(request.address, "10.0.0.0/8")',
  'request.time - timestamp(claims.level) > duration("1h") && request.time.getHours("Europe/Berlin") < 25',
  '(claims.ratio * 2.0 == 1.0 ? -claims.level / 2 : int("7") % 3) != 9 && {"a": [1, 2.0]}.a[0] == 1',
  'claims.sub.split(":")[1].substring(1, 3).contains("c") && claims["nested"].list.size() == 3 && !("x" in claims)',
].map((text) => Buffer.from(text))
const WORDS = [
  ...['&&', '||', '!', '==', '!=', '<', '<=', '>', '>=', ' in ', '+', '-', '*', '/', '%', '?', ':', '.', ',', '(', ')'],
  ...['[', ']', '{', '}', '"', "'", '"""', '\\', '\\u00', 'r"', 'b"', '1u', '0x', '1e999', '9223372036854775808'],
  ...[
    'claims',
    'claims.',
    'header',
    'request.',
    'signer.id',
    '.exists(x, ',
    '.map(x, ',
    '.filter(x, ',
    '.all(x, ',
    'has(',
  ],
  ...[
    'glob(',
    'domain(',
    'inCidr(',
    'lower(',
    'size(',
    'timestamp(',
    'duration(',
    'int(',
    'string(',
    '.matches(',
    'cel.bind(',
  ],
  ...[
    'true',
    'false',
    'null',
    '__proto__',
    'constructor',
    'prototype',
    '((((((((',
    '!!!!!!!!',
    '//',
    '\u0000',
    '\u{1f600}',
  ],
]

/** The parser of rules. An accepted rule has a result, and can be explained. */
export const ruleTarget: FuzzTarget = {
  name: 'rule',
  createInputs: (random) => {
    const next = createMutator(random, { corpus: RULES, dictionary: WORDS, maxLength: 4_200 })
    return () => next().toString(random.onceIn(16) ? 'utf16le' : 'utf8')
  },
  accepts: (input) => {
    const reading = readRule(input.toString(), 'accept', 'signer')
    if (!reading.ok) return false
    checkResult(reading.rule, CLAIMS)
    return true
  },
}

const COMPILED = RULES.map((text) => {
  const reading = readRule(text.toString(), 'accept', 'signer')
  assert.ok(reading.ok)
  return reading.rule
})

function checkResult(rule: (typeof COMPILED)[number], claims: JsonObject): void {
  const variables = variablesOf(claims)
  const refusal = findRuleRefusal(rule, variables)
  assert.ok(refusal === undefined || refusal === 'rule-refused' || refusal === 'rule-error')
  assert.equal(explainRule(rule, variables).refusal, refusal)
}

/** The evaluator of rules: any claims give a result. */
export const ruleClaimsTarget: FuzzTarget = {
  name: 'rule-claims',
  createInputs: (random) =>
    createMutator(random, {
      corpus: [Buffer.from(JSON.stringify(CLAIMS))],
      dictionary: ['null', 'true', '[]', '{}', '""', '-1', '1e300', '"a@b"', '"constructor":', '[[[[', '"\\u0000"'],
      maxLength: 9_000,
    }),
  accepts: (input) => {
    try {
      const claims = readJson(Buffer.from(input), { maxDepth: 8, maxMembers: 2_000 })
      if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return false
      for (const rule of COMPILED) checkResult(rule, claims)
      return true
    } catch (error) {
      if (error instanceof JsonError) return false
      throw error
    }
  },
}
