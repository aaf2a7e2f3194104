import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredSigner } from '../../src/store/signer-row.ts'
import { RuleBudgets } from '../../src/token/rule-budgets.ts'

const writtenBy = (writtenById: string | undefined) =>
  ({ trust: { isTrusted: writtenById === undefined, writtenById } }) as unknown as StoredSigner

test('Z-17 the rules of policies have a budget beside that of signers, and the signers of a writer with few rights leave those of others theirs', () => {
  const rules = new RuleBudgets()
  const mallory = rules.ofPolicies(writtenBy('mallory'))
  mallory.spend(mallory.left)
  assert.ok(rules.ofPolicies(writtenBy('mallory')).isSpent)
  assert.ok(!rules.of(writtenBy('mallory')).isSpent)
  for (const other of ['alice', undefined]) assert.ok(!rules.ofPolicies(writtenBy(other)).isSpent)
})
