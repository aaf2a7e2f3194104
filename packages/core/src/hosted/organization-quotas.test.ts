import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkQuota, DEFAULT_QUOTAS, effectiveQuotas, patchedQuotas } from './organization-quotas.ts'

const UNSET = { networks: null, accounts: null, providers: null, clientsPerAccount: null }
const NAMES = ['networks', 'accounts', 'providers', 'clientsPerAccount'] as const

test('an organization and its accounts have as many of a kind as the quota, and no more', () => {
  for (const name of NAMES) {
    const most = DEFAULT_QUOTAS[name]
    assert.doesNotThrow(() => checkQuota(name, most - 1, DEFAULT_QUOTAS))
    assert.throws(() => checkQuota(name, most, DEFAULT_QUOTAS), { code: 'COULD_NOT_VALIDATE' })
    assert.throws(() => checkQuota(name, most + 1, DEFAULT_QUOTAS), { code: 'COULD_NOT_VALIDATE' })
  }
})

test('quotas that are not set are the defaults, and zero is a quota', () => {
  assert.deepEqual(effectiveQuotas(UNSET), DEFAULT_QUOTAS)
  const set = { networks: 0, accounts: 1, providers: 2, clientsPerAccount: 3 }
  assert.deepEqual(effectiveQuotas(set), set)
})

test('quotas that a body omits stay; null sets the default', () => {
  const current = { ...UNSET, networks: 5, accounts: 6 }
  assert.deepEqual(patchedQuotas(current, { accounts: 7 }), { ...current, accounts: 7 })
  assert.deepEqual(patchedQuotas(current, { networks: null as never }), { ...current, networks: null })
})
