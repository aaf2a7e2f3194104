import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AttributeParts,
  attributeOrigins,
  attributesSuppliedBy,
  manualAttributesAfterWrite,
  unionOfAttributes,
} from './attribute-parts.ts'

const PARTS: AttributeParts = {
  manualAttributes: ['a', 'b'],
  suppliedAttributes: [
    { signerId: 'one', channel: 'token', attributes: ['b', 'c'] },
    { signerId: 'two', channel: 'token', attributes: ['b'] },
  ],
}
const MANUAL: AttributeParts = { manualAttributes: ['a'], suppliedAttributes: [] }

test('D59 the attributes of an identity are the union of all origins', () => {
  assert.deepEqual(unionOfAttributes(PARTS), ['a', 'b', 'c'])
  assert.deepEqual(unionOfAttributes(MANUAL), ['a'])
})

test('D59 there is one entry per attribute and origin', () => {
  assert.deepEqual(attributeOrigins(PARTS), [
    { attribute: 'a', origin: 'manual' },
    { attribute: 'b', origin: 'manual' },
    { attribute: 'b', origin: 'signer', signerId: 'one' },
    { attribute: 'b', origin: 'signer', signerId: 'two' },
    { attribute: 'c', origin: 'signer', signerId: 'one' },
  ])
  assert.deepEqual(attributeOrigins(MANUAL), [{ attribute: 'a', origin: 'manual' }])
})

test('the part of a signer is its own', () => {
  assert.deepEqual(attributesSuppliedBy(PARTS, 'one', 'token'), ['b', 'c'])
  assert.deepEqual(attributesSuppliedBy(PARTS, 'three', 'token'), [])
})

test('D59 a written attribute that a signer supplies stays the signer’s, unless it was manual', () => {
  assert.deepEqual(manualAttributesAfterWrite(PARTS, ['a', 'b', 'c', 'd']), ['a', 'b', 'd'])
  assert.deepEqual(manualAttributesAfterWrite(PARTS, []), [])
  assert.deepEqual(manualAttributesAfterWrite(MANUAL, ['c']), ['c'])
})
