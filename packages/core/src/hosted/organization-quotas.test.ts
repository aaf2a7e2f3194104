import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT_CLIENT_QUOTA, checkClientQuota, checkQuota, ORGANIZATION_QUOTAS } from './organization-quotas.ts'

test('an organization has as many of a kind as its quota, and no more', () => {
  for (const kind of ['networks', 'API accounts'] as const) {
    const most = ORGANIZATION_QUOTAS[kind]
    assert.doesNotThrow(() => checkQuota(kind, most - 1))
    assert.throws(() => checkQuota(kind, most), { code: 'COULD_NOT_VALIDATE' })
  }
})

test('an API account has as many clients as its quota, and no more', () => {
  assert.doesNotThrow(() => checkClientQuota(ACCOUNT_CLIENT_QUOTA - 1))
  assert.throws(() => checkClientQuota(ACCOUNT_CLIENT_QUOTA), { code: 'COULD_NOT_VALIDATE' })
})
