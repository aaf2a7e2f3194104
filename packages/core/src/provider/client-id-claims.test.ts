import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { checkClientIdClaim, clientIdClaimsOf } from './client-id-claims.ts'

const RECORD = { kind: 'oidc', issuer: 'https://idp.example', clientIdClaim: null } as const

test('the claim of the record is used alone; without one, those of its kind are used', () => {
  assert.deepEqual(clientIdClaimsOf(RECORD), ['azp', 'client_id'])
  assert.deepEqual(clientIdClaimsOf({ ...RECORD, clientIdClaim: 'machine' }), ['machine'])
})

test('a claim that tokens of different clients share is refused in every notation', () => {
  for (const clientIdClaim of ['aud', '/aud/0', 'token_use', '/scope', '/realm_access/roles/0']) {
    assert.throws(() => checkClientIdClaim({ ...RECORD, clientIdClaim }), AppError, clientIdClaim)
  }
  for (const clientIdClaim of [null, 'sub', '/client/aud', 'https://acme.example/scope']) {
    checkClientIdClaim({ ...RECORD, clientIdClaim })
  }
})
