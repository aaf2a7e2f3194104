import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { furtherRows } from './further-rows.ts'

test('members that a page has no row for are shown under the words of their names', () => {
  const { kid, scopes, enabled, clientId, clockSkewSeconds } = SIGNER.members
  const members = { kid, scopes, enabled, clientId, clockSkewSeconds }
  const thing = { kid: 'k', scopes: ['a', 'b'], enabled: true, clientId: null, clockSkewSeconds: 5 }
  assert.deepEqual(furtherRows(members, thing, ['kid']), [
    ['Scopes', 'a, b'],
    ['Enabled', 'Yes'],
    ['Client id', null],
    ['Clock skew seconds', '5'],
  ])
})
