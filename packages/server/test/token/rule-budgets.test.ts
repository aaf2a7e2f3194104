import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_RULE_COST } from '@countersign/core'
import type { StoredSigner } from '../../src/store/signer-row.ts'
import { RuleBudgets } from '../../src/token/rule-budgets.ts'

const writtenBy = (writtenById: string | undefined) =>
  ({ trust: { isTrusted: writtenById === undefined, writtenById } }) as unknown as StoredSigner

test('Z-17 other requests have their turn after an expensive rule of a policy', async () => {
  const hadTurn = async (cost: number) => {
    const rules = new RuleBudgets()
    let isDone = false
    setImmediate(() => {
      isDone = true
    })
    rules.ofPolicies(writtenBy(undefined)).spend(cost)
    await rules.giveWay()
    return isDone
  }
  assert.deepEqual([await hadTurn(MAX_RULE_COST), await hadTurn(10)], [true, false])
})

test('Z-17 the rules of policies have a budget beside that of signers, and the signers of a writer with few rights leave those of others theirs', () => {
  const rules = new RuleBudgets()
  const mallory = rules.ofPolicies(writtenBy('mallory'))
  mallory.spend(mallory.left)
  assert.ok(rules.ofPolicies(writtenBy('mallory')).isSpent)
  assert.ok(!rules.of(writtenBy('mallory')).isSpent)
  for (const other of ['alice', undefined]) assert.ok(!rules.ofPolicies(writtenBy(other)).isSpent)
})
