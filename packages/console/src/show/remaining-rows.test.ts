import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { remainingRows } from './remaining-rows.ts'

test('members without a row of their own are labelled by the words of their names', () => {
  const { kid, scopes, enabled, clientId, clockSkewSeconds } = SIGNER.members
  const members = { kid, scopes, enabled, clientId, clockSkewSeconds }
  const signer = { kid: 'k', scopes: ['a', 'b'], enabled: true, clientId: null, clockSkewSeconds: 5 }
  assert.deepEqual(remainingRows(members, signer, ['kid']), [
    ['Scopes', 'a, b', 'scopes'],
    ['Enabled', 'Yes', 'enabled'],
    ['Client id', null, 'clientId'],
    ['Clock skew seconds', '5', 'clockSkewSeconds'],
  ])
})
