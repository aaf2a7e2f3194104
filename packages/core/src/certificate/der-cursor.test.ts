import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOctetsOfBitString, readOid } from './der-cursor.ts'
import { DerError, readDer } from './der-reader.ts'

const node = (hex: string) => readDer(Buffer.from(hex, 'hex'))

test('reads an object identifier, and refuses an element of another type', () => {
  assert.equal(readOid(node('06032b6570')), '1.3.101.112')
  assert.equal(readOid(node('0603551d25')), '2.5.29.37')
  assert.throws(() => readOid(node('04032b6570')), DerError)
})

test('reads a bit string of whole octets, and refuses other bit strings and elements', () => {
  assert.deepEqual(readOctetsOfBitString(node('030300abcd')), Buffer.from('abcd', 'hex'))
  assert.throws(() => readOctetsOfBitString(node('030304abc0')), DerError)
  assert.throws(() => readOctetsOfBitString(node('040300abcd')), DerError)
})
