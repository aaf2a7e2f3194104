import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { fromFormValues, lengthRules, toFormValues } from './resource-values.ts'

test('a form holds empty text and numbers where nothing is set, and sends null for them', () => {
  const { kid, maxTokenAgeSeconds, clockSkewSeconds, scopes, useExternalId, claimsProperty, targetToken } =
    toFormValues(SIGNER, undefined)
  assert.deepEqual([kid, maxTokenAgeSeconds, clockSkewSeconds, scopes], ['', '', 0, []])
  assert.deepEqual([useExternalId, claimsProperty, targetToken], [false, '', 'ACCESS'])
  assert.deepEqual(fromFormValues({ kid, maxTokenAgeSeconds, clockSkewSeconds, scopes }), {
    kid: null,
    maxTokenAgeSeconds: null,
    clockSkewSeconds: 0,
    scopes: [],
  })
})

test('a form holds what a thing has', () => {
  const thing = { kid: 'k', maxTokenAgeSeconds: 60, scopes: ['a'], claimsProperty: '/sub', useExternalId: true }
  const { kid, maxTokenAgeSeconds, scopes, claimsProperty, useExternalId } = toFormValues(SIGNER, thing)
  assert.deepEqual({ kid, maxTokenAgeSeconds, scopes, claimsProperty, useExternalId }, thing)
})

test('the bounds of the contract are told before anything is sent', () => {
  const { kid, scopes } = lengthRules(SIGNER)
  assert.equal(kid?.('k'.repeat(256) as never), null)
  assert.match(kid?.('k'.repeat(257) as never) ?? '', /256/)
  assert.equal(scopes?.(['s'.repeat(256)] as never), null)
  assert.match(scopes?.(['s'.repeat(257)] as never) ?? '', /256/)
  assert.match(scopes?.(Array.from({ length: 101 }, () => 's') as never) ?? '', /100/)
})
