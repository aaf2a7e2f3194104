import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readOid, readTime } from './der-cursor.ts'
import { DerError, type DerNode, readDer } from './der-reader.ts'
import * as der from './der-writer.ts'

const nested = (levels: number): Buffer => {
  let inner = der.nullValue()
  for (let i = 0; i < levels; i++) inner = der.sequence(inner)
  return inner
}

describe('readDer', () => {
  it('reads elements with their children and exact bytes', () => {
    const bytes = der.sequence(der.integer(5), der.sequence(der.utf8String('hé')), der.explicitTag(3, der.nullValue()))
    const node = readDer(bytes)
    assert.deepEqual(
      node.children.map(({ tag }) => tag),
      [0x02, 0x30, 0xa3],
    )
    assert.equal(node.children[1]?.children[0]?.content.toString(), 'hé')
    assert.ok(node.bytes.equals(bytes))
  })

  it('J-11 refuses every non-DER encoding, and reads its strict counterpart', () => {
    const twins: Record<string, [strict: string, lax: string]> = {
      'bytes after the end': ['0500', '050000'],
      'indefinite length': ['30020500', '308005000000'],
      'length in two octets where one is enough': ['04020101', '0481020101'],
      'length with a leading zero': [`048180${'00'.repeat(128)}`, `04820080${'00'.repeat(128)}`],
      'content that is too short': ['04020101', '040201'],
      'nothing at all': ['0500', ''],
      'a tag alone': ['0500', '05'],
      'padded integer': ['0201ff', '0202ffff'],
      'integer with a zero too many': ['02017f', '0202007f'],
      'empty integer': ['020100', '0200'],
      'boolean other than 00 and ff': ['0101ff', '010101'],
      'null with content': ['0500', '050100'],
      'unused bits that are set': ['03020780', '03020781'],
      'eight unused bits': ['03020780', '03020800'],
      'unused bits of nothing': ['030100', '030101'],
      'bit string without its number of unused bits': ['030100', '0300'],
      'padded arc': ['06022a03', '06032a8003'],
      'arc without end': ['06022a03', '06022a83'],
      'empty object identifier': ['06022a03', '0600'],
      'unsorted set': ['3106020101020102', '3106020102020101'],
      'constructed string': ['040101', '2403040101'],
      'primitive sequence': ['3000', '1000'],
      'private class': ['8000', 'c000'],
      'tag in several octets': ['8000', '9f2000'],
      'unknown type': ['0500', '0900'],
      'text beyond ASCII in an IA5String': ['160161', '1601e9'],
      'half a character': ['1e020041', '1e0141'],
    }
    for (const [title, [strict, lax]] of Object.entries(twins)) {
      assert.ok(readDer(Buffer.from(strict, 'hex')), title)
      assert.throws(() => readDer(Buffer.from(lax, 'hex')), DerError, title)
    }
  })

  it('J-12 quickly refuses deep nesting and arcs that overflow', () => {
    assert.ok(readDer(nested(32)))
    assert.throws(() => readDer(nested(33)), DerError)
    assert.throws(() => readDer(nested(5000)), DerError)
    assert.ok(readDer(Buffer.from('06052affffff7f', 'hex')))
    assert.throws(() => readDer(Buffer.from(`060b2a${'ff'.repeat(9)}7f`, 'hex')), DerError)
  })

  it('either throws DerError or returns elements that make up all bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (input) => {
        const bytes = Buffer.from(input)
        try {
          assert.ok(rewrite(readDer(bytes)).equals(bytes))
        } catch (error) {
          if (!(error instanceof DerError)) throw error
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('parses any tree that the writer encoded', () => {
    const { tree } = fc.letrec<{ tree: Buffer }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.uint8Array({ maxLength: 300 }).map(der.octetString),
        fc.nat().map(der.integer),
        fc.uint8Array({ minLength: 1, maxLength: 20 }).map((octets) => der.integer(octets)),
        fc.array(tie('tree'), { maxLength: 4 }).map((items) => der.sequence(...items)),
        fc.array(tie('tree'), { maxLength: 4 }).map((items) => der.setOf(...items)),
        tie('tree').map((item) => der.explicitTag(2, item)),
      ),
    }))
    fc.assert(fc.property(tree, (bytes) => assert.ok(rewrite(readDer(bytes)).equals(bytes))))
  })
})

describe('readOid', () => {
  it('parses what the writer encoded, also large first arcs', () => {
    for (const dotted of ['1.2.840.113549.1.1.11', '2.5.4.3', '0.9.2342.19200300.100.1.1', '2.999.4294967295']) {
      assert.equal(readOid(readDer(der.oid(dotted))), dotted)
    }
  })
})

describe('readTime', () => {
  it('parses both types of time, with two-digit years as in RFC 5280', () => {
    for (const iso of ['1950-01-01T00:00:00.000Z', '2049-12-31T23:59:59.000Z', '2050-01-01T00:00:00.000Z']) {
      assert.equal(readTime(readDer(der.time(new Date(iso)))).toISOString(), iso)
    }
    assert.equal(readTime(timeNode(0x18, '99991231235959Z')).getUTCFullYear(), 9999)
  })

  it('refuses dates that do not exist, offsets, fractions and missing seconds', () => {
    assert.ok(readTime(timeNode(0x17, '240229000000Z')))
    const refused = [
      '230229000000Z',
      '241301000000Z',
      '240101250000Z',
      '2401010000Z',
      '240101000000+0100',
      '2401010000x0Z',
    ]
    for (const text of refused) assert.throws(() => readTime(timeNode(0x17, text)), DerError, text)
    assert.throws(() => readTime(timeNode(0x18, '20240101000000.5Z')), DerError)
  })
})

function timeNode(tag: number, text: string): DerNode {
  return readDer(der.element(tag, Buffer.from(text)))
}

function rewrite(node: DerNode): Buffer {
  const isConstructed = (node.tag & 0x20) !== 0
  return der.element(node.tag, isConstructed ? Buffer.concat(node.children.map(rewrite)) : node.content)
}
