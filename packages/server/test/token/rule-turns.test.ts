import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MAX_RULE_COST } from '@countersign/core'
import { ALL_RULES, policyRuleInTurn, signerRulesInTurn } from '../../src/token/rule-turns.ts'

const RULE = 'claims.level == 1'

/** Evaluates rules of a policy at the same time, and counts those in each turn of the event loop. */
async function turnsOf(policies: readonly { readonly id: string; readonly cost: number }[]) {
  await nextTurn()
  await nextTurn()
  const turns: string[][] = [[]]
  let isRunning = true
  const note = (): void => {
    turns.push([])
    if (isRunning) setImmediate(note)
  }
  setImmediate(note)
  const evaluate = async ({ id, cost }: (typeof policies)[number]) => {
    await policyRuleInTurn({ id, acceptRule: RULE }, () => {
      turns.at(-1)?.push(id)
      ALL_RULES.spend(cost)
    })
  }
  await Promise.all(policies.map(evaluate))
  isRunning = false
  return turns.filter(({ length }) => length > 0)
}

test('Z-17 expensive rules of many requests have turns of the event loop of their own, cheap ones do not', async () => {
  const many = (cost: number) => Array.from({ length: 20 }, () => ({ id: 'one', cost }))
  const expensive = await turnsOf(many(MAX_RULE_COST))
  assert.equal(expensive.length, 20)
  const cheap = await turnsOf(many(1))
  assert.equal(cheap.length, 1)
})

test('Z-17 a policy does not wait until all requests of another one had their turn', async () => {
  const others = Array.from({ length: 20 }, () => ({ id: 'expensive', cost: MAX_RULE_COST }))
  const turns = await turnsOf([...others, { id: 'cheap', cost: 1 }])
  assert.ok(turns.findIndex((ids) => ids.includes('cheap')) <= 3, JSON.stringify(turns))
})

test('Z-17 a policy without a rule never waits', async () => {
  ALL_RULES.spend(MAX_RULE_COST)
  let isTurnOver = false
  setImmediate(() => {
    isTurnOver = true
  })
  const isOver = () => isTurnOver
  const signer = { id: 'one' } as Parameters<typeof signerRulesInTurn>[0]
  assert.equal(await policyRuleInTurn({ id: 'one', acceptRule: null }, isOver), false)
  assert.equal(await signerRulesInTurn(signer, isOver), true)
})
