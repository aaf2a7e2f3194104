import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '../json/json-value.ts'
import { findNearMisses, nearMissText } from './near-misses.ts'

const SCHEMA = { type: 'object', properties: { name: {}, kid: {}, requiredClaims: {}, maxTokenAgeSeconds: {} } }
const OPTIONS = { members: ['kid', 'requiredClaims', 'maxTokenAgeSeconds'], readOnly: ['id', 'requiredClaim'] }

const missesIn = (body: JsonValue, options = OPTIONS) => findNearMisses(SCHEMA, body, options)
const meantBy = (name: string) => missesIn({ [name]: 1 }, { ...OPTIONS, readOnly: ['id'] })[0]?.meant

test('D53 a name that differs in a letter or two, or in its separators, is a near miss', () => {
  for (const name of ['requiredClaim', 'required_claims', 'reqiredClaims', 'RequiredCliams', 'required-claims']) {
    assert.equal(meantBy(name), 'requiredClaims', name)
  }
  assert.equal(meantBy('maxTokenAgeSecond'), 'maxTokenAgeSeconds')
  assert.equal(meantBy('kids'), 'kid')
})

test('D53 known, read-only and quite different names are none', () => {
  for (const name of ['requiredClaims', 'REQUIREDCLAIMS', 'name', 'nam', 'id', 'kind', 'claims', 'x'.repeat(65)]) {
    assert.equal(meantBy(name), name === 'kind' ? 'kid' : undefined, name)
  }
  assert.deepEqual(missesIn({ requiredClaim: 1 }), [], 'a response contains it')
  assert.deepEqual(missesIn(null), [])
})

test('D53 the text has no character that ends a header or a quoted text, and few members are examined', () => {
  const [miss] = missesIn({ 'kid"\r\n': 1 })
  assert.ok(miss)
  assert.equal(nearMissText(miss), 'the member kid??? is unknown and was ignored: did you mean kid?')
  const many = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`kid${'-'.repeat(index % 50)}${index}`, 1]),
  )
  assert.ok(missesIn(many).length <= 32)
})
