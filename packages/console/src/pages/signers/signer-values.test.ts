import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Signer } from '@countersign/sdk'
import { changedValues } from '../../form/changed-values.ts'
import { isPatchable, type SignerValues, toBody, toReplacement, toValues } from './signer-values.ts'

/** Members in forms that the form does not keep. */
const SIGNER = {
  name: 'a',
  enabled: true,
  issuer: 'https://a.example',
  audience: 'overlay',
  jwksEndpoint: 'https://a.example/keys',
  requiredClaims: { tenant: 'acme' },
  scopes: ['openid,email'],
  sharedSignals: { audience: 'b', actions: { 'account-disabled': 'log', 'session-revoked': 'log' } },
  tags: { team: 'platform' },
} as unknown as Signer

const changesOf = (members: Partial<SignerValues>) =>
  changedValues(toBody(toValues(SIGNER)), toBody({ ...toValues(SIGNER), ...members }))

test('D55 only the changed members of a signer are sent', () => {
  assert.deepEqual(changesOf({}), {})
  assert.deepEqual(changesOf({ name: 'b' }), { name: 'b' })
  assert.deepEqual(changesOf({ tags: [{ name: 'team', value: 'web' }] }), { tags: { team: 'web' } })
  assert.deepEqual(changesOf({ requiredClaims: [{ key: 'k', selector: 'tenant', values: ['acme', 'b'] }] }), {
    requiredClaims: { tenant: ['acme', 'b'] },
  })
  assert.deepEqual(changesOf({ source: 'certificate', certPem: 'pem' }), { jwksEndpoint: null, certPem: 'pem' })
})

test('D55 members that a PATCH cannot clear are cleared by a PUT with the others as they were read', () => {
  assert.ok(isPatchable(changesOf({ name: 'b', scopes: ['openid'] })))
  for (const members of [{ tags: [] }, { requiredClaims: [] }, { scopes: [] }]) {
    assert.ok(!isPatchable(changesOf(members)), JSON.stringify(members))
  }
  assert.deepEqual(toReplacement({ ...SIGNER, version: '"1"' }, changesOf({ tags: [] })), { ...SIGNER, tags: {} })
})
