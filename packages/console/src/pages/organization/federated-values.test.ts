import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newClaimRow } from '../../form/claim-rows.ts'
import { FEDERATED_RULES, NEW_FEDERATED, presetOf, toFederatedInput } from './federated-values.ts'

test('a preset and further rows become the conditions of the request', () => {
  const rows = [{ ...newClaimRow(), selector: 'workflow', values: ['deploy'] }, newClaimRow()]
  const values = { ...NEW_FEDERATED, name: 'deploy', target: 'acme/app', branch: 'main', conditions: rows }
  assert.deepEqual(toFederatedInput(values), {
    name: 'deploy',
    kind: 'federated',
    role: 'read-only',
    conditions: { repository: 'acme/app', ref: 'refs/heads/main', workflow: ['deploy'] },
  })
  assert.equal(presetOf(values)?.issuer, 'https://token.actions.githubusercontent.com')
  const other = toFederatedInput({ ...values, platform: 'other', description: 'x', expiresAt: '2030-01-31T10:00' })
  assert.deepEqual([other.conditions, other.description], [{ workflow: ['deploy'] }, 'x'])
  assert.match(other.expiresAt ?? '', /^2030-01-3/)
})

test('a target of another form and a missing provider are errors where they are needed', () => {
  const { target, identityProviderId } = FEDERATED_RULES
  const valid = { ...NEW_FEDERATED, target: 'acme/app' }
  assert.deepEqual([target('acme/app', valid), identityProviderId('', valid)], [null, null])
  assert.equal(target('acme', { ...valid, target: 'acme' }), 'Write owner/repository')
  assert.equal(target('', { ...NEW_FEDERATED, platform: 'other' }), null)
  assert.equal(identityProviderId('', { ...valid, platform: 'kubernetes' }), 'Choose a provider')
  assert.equal(identityProviderId('p', { ...valid, platform: 'kubernetes' }), null)
})
