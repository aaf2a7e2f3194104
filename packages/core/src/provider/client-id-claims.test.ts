import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { checkTellsClients, clientIdClaimsOf } from './client-id-claims.ts'

const RECORD = { kind: 'oidc', issuer: 'https://idp.example', clientIdClaim: null } as const

test('the claim of the record counts alone; without one, those of its kind do', () => {
  assert.deepEqual(clientIdClaimsOf(RECORD), ['azp', 'client_id'])
  assert.deepEqual(clientIdClaimsOf({ ...RECORD, clientIdClaim: 'machine' }), ['machine'])
})

test('a claim that tokens of different clients share names no client, however it is written', () => {
  for (const clientIdClaim of ['aud', '/aud/0', 'token_use', '/scope', '/realm_access/roles/0']) {
    assert.throws(() => checkTellsClients({ ...RECORD, clientIdClaim }), AppError, clientIdClaim)
  }
  for (const clientIdClaim of [null, 'sub', '/client/aud', 'https://acme.example/scope']) {
    checkTellsClients({ ...RECORD, clientIdClaim })
  }
})
