import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as der from './der-writer.ts'

describe('the DER writer', () => {
  it('encodes each type as in X.690', () => {
    const written: [Buffer, string][] = [
      [der.boolean(true), '0101ff'],
      [der.boolean(false), '010100'],
      [der.integer(0), '020100'],
      [der.integer(127), '02017f'],
      [der.integer(128), '02020080'],
      [der.integer(Buffer.from([0, 0, 1])), '020101'],
      [der.integer(Buffer.alloc(0)), '020100'],
      [der.printableString('Ab'), '13024162'],
      [der.utf8String('é'), '0c02c3a9'],
      [der.namedBits([]), '030100'],
      [der.namedBits([0]), '03020780'],
      [der.namedBits([5, 6]), '03020106'],
      [der.namedBits([8]), '0303070080'],
      [der.setOf(der.integer(2), der.integer(1)), '3106020101020102'],
      [der.oid('1.2.840.113549'), '06062a864886f70d'],
      [der.octetString(Buffer.alloc(200)), `0481c8${'00'.repeat(200)}`],
      [der.octetString(Buffer.alloc(300)), `0482012c${'00'.repeat(300)}`],
    ]
    for (const [bytes, hex] of written) assert.equal(bytes.toString('hex'), hex)
    const long = [0x10000, 0x1000000].map((length) => der.octetString(Buffer.alloc(length)).subarray(0, 6))
    assert.deepEqual(
      long.map((head) => head.toString('hex')),
      ['048301000000', '048401000000'],
    )
  })

  it('throws TypeError for a value that cannot be encoded', () => {
    for (const value of [-1, 1.5, Number.NaN]) assert.throws(() => der.integer(value), TypeError)
    for (const year of ['1949', '+010000'])
      assert.throws(() => der.time(new Date(`${year}-06-01T00:00:00Z`)), TypeError)
    assert.throws(() => der.time(new Date(Number.NaN)), RangeError)
  })
})
