import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ecdsaSignatureFromDer, ecdsaSignatureToDer } from './ecdsa-signature.ts'

const toDer = (hex: string): string => ecdsaSignatureToDer(Buffer.from(hex, 'hex')).toString('hex')

test('encodes two numbers in DER', () => {
  assert.equal(toDer('0102'), '3006020101020102')
  assert.equal(toDer('80ff'), '300802020080020200ff')
  assert.equal(toDer('00010080'), '30070201010202' + '0080')
  assert.equal(toDer('00000000'), '3006020100020100')
  assert.equal(toDer('ff'.repeat(132)).slice(0, 14), '30818a024300ff')
})

test('any two numbers can be decoded again', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(32, 48, 66),
      fc.infiniteStream(fc.oneof(fc.constant(0), fc.nat(255))),
      (half, stream) => {
        const signature = Buffer.from(Array.from({ length: half * 2 }, () => Number(stream.next().value)))
        const der = ecdsaSignatureToDer(signature)
        const body = der.subarray(der[1] === 0x81 ? 3 : 2)
        assert.equal(body.length, der[1] === 0x81 ? der[2] : der[1])
        const first = body.subarray(2, 2 + (body[1] ?? 0))
        const second = body.subarray(2 + first.length + 2)
        assert.equal(second.length, body[2 + first.length + 1])
        const numbers = [first, second].map((bytes) => BigInt(`0x${bytes.toString('hex')}`))
        const expected = [signature.subarray(0, half), signature.subarray(half)].map((bytes) =>
          BigInt(`0x${bytes.toString('hex')}`),
        )
        assert.deepEqual(numbers, expected)
        assert.deepEqual(ecdsaSignatureFromDer(der, half), signature)
      },
    ),
    { numRuns: 500 },
  )
})
