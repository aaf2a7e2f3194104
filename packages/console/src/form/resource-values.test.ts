import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { fromFormValues, lengthRules, toFormValues } from './resource-values.ts'

test('unset text and numbers are empty in a form and are sent as null', () => {
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

test('a form takes the values of an existing entity', () => {
  const signer = { kid: 'k', maxTokenAgeSeconds: 60, scopes: ['a'], claimsProperty: '/sub', useExternalId: true }
  const { kid, maxTokenAgeSeconds, scopes, claimsProperty, useExternalId } = toFormValues(SIGNER, signer)
  assert.deepEqual({ kid, maxTokenAgeSeconds, scopes, claimsProperty, useExternalId }, signer)
})

test('lengths beyond the limits of the contract are refused before sending', () => {
  const { kid, scopes } = lengthRules(SIGNER)
  assert.equal(kid?.('k'.repeat(256) as never), null)
  assert.match(kid?.('k'.repeat(257) as never) ?? '', /256/)
  assert.equal(scopes?.(['s'.repeat(256)] as never), null)
  assert.match(scopes?.(['s'.repeat(257)] as never) ?? '', /256/)
  assert.match(scopes?.(Array.from({ length: 101 }, () => 's') as never) ?? '', /100/)
})
