import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountIdentityId } from '@countersign/contract/account-identity'
import { derivedUuid } from '../derived-uuid.ts'
import { hostedIdentityId } from './hosted-identity-id.ts'

test('the identity of an API account has the id of the account', () => {
  assert.equal(hostedIdentityId(accountIdentityId('a1')), 'a1')
})

test('any other identity has a UUID derived from its id', () => {
  assert.equal(hostedIdentityId('xyz'), derivedUuid('identity', 'xyz'))
})
