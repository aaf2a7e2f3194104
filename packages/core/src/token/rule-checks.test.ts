import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRuleBudget } from '../rule/rule-run.ts'
import { VerifiedTokenCache } from './verified-token-cache.ts'
import { KEYS, NOW, NOW_MS, signerWith, tokenWith } from './verify.fixture.ts'
import { type VerifyOptions, verifyToken } from './verify-token.ts'

const verify = (signer: Parameters<typeof signerWith>[0], claims = {}, options: VerifyOptions = {}) =>
  verifyToken(tokenWith(claims), signerWith(signer), KEYS, NOW_MS, options)
const reasonOf = async (...args: Parameters<typeof verify>) => (await verify(...args)).reason

test('a rule that is true accepts, one that is false refuses, and one that fails is an error', async () => {
  assert.equal(await reasonOf({ acceptRule: 'claims.sub == "alice"' }), 'accepted')
  assert.equal(await reasonOf({ acceptRule: 'claims.sub == "bob"' }), 'rule-refused')
  assert.equal(await reasonOf({ acceptRule: 'claims.email == "alice"' }), 'rule-error')
  assert.equal(await reasonOf({ acceptRule: 'claims.sub' }), 'rule-error')
})

test('rules see claims, header, signer and the request', async () => {
  const request = { method: 'POST', address: '10.1.2.3' }
  const acceptRule =
    'header.alg == "ES256" && signer.id == "signer-a" && signer.name == "idp" && request.method == "POST" && inCidr(request.address, "10.0.0.0/8") && request.time == timestamp(claims.iat)'
  const claims = { iat: NOW }
  assert.equal(await reasonOf({ acceptRule, name: 'idp' }, claims, { request }), 'accepted')
  assert.equal(await reasonOf({ acceptRule, name: 'x' }, claims, { request }), 'rule-refused')
  assert.equal(await reasonOf({ acceptRule, name: 'idp' }, claims), 'rule-error')
})

test('the check has the rule, the part that was false and the values that it read', async () => {
  const acceptRule = 'claims.sub == "alice" && claims.groups.exists(g, g == "ops")'
  const { checks } = await verify({ acceptRule }, { groups: ['dev'] })
  assert.deepEqual(checks.at(-1), {
    check: 'acceptRule',
    expected: acceptRule,
    received: 'claims.groups.exists(g, g == "ops") is false (line 1, column 26); claims.groups is ["dev"]',
    pass: false,
  })
})

test('Z-16 rules never see claims whose signature is not verified', async () => {
  const forged = tokenWith({}, { sign: () => Buffer.alloc(64, 1) })
  const signer = signerWith({ acceptRule: 'claims.sub == "alice"', attributeRules: ['claims.groups'] })
  const { checks } = await verifyToken(forged, signer, KEYS, NOW_MS, { continueAfterRefusal: true })
  assert.equal(
    checks.some(({ check }) => check === 'acceptRule' || check === 'attributeRules'),
    false,
  )
  const genuine = await verifyToken(tokenWith({ exp: NOW - 1 }), signer, KEYS, NOW_MS, { continueAfterRefusal: true })
  assert.equal(
    genuine.checks.some(({ check }) => check === 'acceptRule'),
    true,
  )
})

test('attribute rules give attributes, and refuse when one fails', async () => {
  const attributeRules = ['claims.groups.map(g, "g-" + g)', 'has(claims.admin) ? ["admin", ""] : []']
  const accepted = await verify({ attributeRules }, { groups: ['a', 'b'], admin: true })
  assert.deepEqual(accepted.accepted && accepted.token.ruleAttributes, ['g-a', 'g-b', 'admin'])
  assert.equal(
    accepted.checks.at(-1)?.received,
    '["g-a","g-b","admin"]; claims.groups is ["a","b"]; claims.admin is true',
  )
  assert.equal(await reasonOf({ attributeRules }), 'rule-error')
  assert.equal(await reasonOf({ attributeRules: ['claims.sub'] }), 'rule-error')
  assert.equal(await reasonOf({ attributeRules: ['claims.groups'] }, { groups: [1] }), 'rule-error')
})

test('the check of attribute rules names the one that failed, the part of it and the values that it read', async () => {
  const receivedOf = async (attributeRules: string[], claims: object) =>
    (await verify({ attributeRules }, claims)).checks.at(-1)?.received
  assert.equal(
    await receivedOf(['["a"]', '["x"] + claims.groups.map(g, g + "x")'], { groups: 'dev' }),
    'rule 2: claims.groups: map needs a list or a map, not a string (line 1, column 9); claims.groups is "dev"',
  )
  assert.equal(
    await receivedOf(['claims.groups'], { groups: ['a', 1] }),
    'claims.groups: the rule gives a list with other values than strings (line 1, column 1); claims.groups is ["a",1]',
  )
  assert.equal(await receivedOf(['["a"]'], {}), '["a"]')
})

/** Costs nearly as much as a rule may, and has a value. */
const EXPENSIVE_RULE = 'claims.groups.filter(g, claims.long.contains("ab"))'
const EXPENSIVE_CLAIMS = { groups: Array(80).fill('g'), long: 'a'.repeat(4_000) }
const TOGETHER = 'the rules of the signers that the token names take too long together for these claims'

test('Z-17 the rules of a signer have a budget together, and the check says that it is spent', async () => {
  const ofRules = (count: number) => ({ attributeRules: Array(count).fill(EXPENSIVE_RULE) })
  assert.equal(await reasonOf(ofRules(5), EXPENSIVE_CLAIMS), 'accepted')
  const { reason, checks } = await verify(ofRules(16), EXPENSIVE_CLAIMS)
  assert.equal(reason, 'rule-error')
  assert.equal(checks.at(-1)?.check, 'attributeRules')
  assert.equal(checks.at(-1)?.received, `rule 6: ${TOGETHER}`)
})

test('Z-17 sixteen rules that read 200 groups each are accepted', async () => {
  const claims = { groups: Array.from({ length: 200 }, (_, index) => `group-${index}`) }
  for (const rule of ['claims.groups.map(g, "idp-" + g)', 'claims.groups.exists(g, glob(g, "x*")) ? ["a"] : []']) {
    const signer = { acceptRule: 'claims.groups.exists(g, g == "group-199")', attributeRules: Array(16).fill(rule) }
    assert.equal(await reasonOf(signer, claims), 'accepted')
  }
})

test('Z-17 the rules of several signers have a budget together, and each its own without one', async () => {
  const acceptRule = `${EXPENSIVE_RULE} == [] && claims.sub == "alice"`
  const signer = { acceptRule, attributeRules: Array(4).fill(EXPENSIVE_RULE) }
  const ruleBudget = newRuleBudget()
  assert.equal(await reasonOf(signer, EXPENSIVE_CLAIMS, { ruleBudget }), 'accepted')
  const second = await verify(signer, EXPENSIVE_CLAIMS, { ruleBudget })
  assert.equal(second.reason, 'rule-error')
  assert.equal(second.checks.at(-1)?.received, TOGETHER)
  for (const _ of [1, 2]) assert.equal(await reasonOf(signer, EXPENSIVE_CLAIMS), 'accepted')
})

test('Z-17 a description of the checks evaluates no rule against the budget again', async () => {
  const ruleBudget = newRuleBudget()
  const acceptRule = `${EXPENSIVE_RULE} == [] && claims.sub == "bob"`
  const refused = await verify({ acceptRule }, EXPENSIVE_CLAIMS, { ruleBudget })
  const { spent } = ruleBudget
  assert.ok(spent > 0)
  assert.match(refused.checks.at(-1)?.received ?? '', /^claims\.sub == "bob" is false/)
  assert.equal(refused.checks, refused.checks)
  assert.equal(ruleBudget.spent, spent)
})

test('a verdict is cached unless a rule reads the request', async () => {
  for (const [acceptRule, size] of [
    ['claims.sub == "alice"', 1],
    ['request.method == "POST"', 0],
  ] as const) {
    const cache = new VerifiedTokenCache()
    const request = { method: 'POST', address: '::1' }
    const token = tokenWith()
    const signer = signerWith({ acceptRule })
    const log = (method: string) => verifyToken(token, signer, KEYS, NOW_MS, { cache, request: { ...request, method } })
    for (const _ of [1, 2, 3]) assert.equal((await log('POST')).accepted, true)
    assert.equal(cache.size, size)
    assert.equal((await log('GET')).accepted, size === 1)
  }
})
