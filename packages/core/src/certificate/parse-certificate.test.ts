import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { DerError } from './der-reader.ts'
import * as der from './der-writer.ts'
import { buildName } from './distinguished-name.ts'
import { parseTbsCertificate } from './parse-certificate.ts'

const algorithm = der.sequence(der.oid('1.2.840.10045.4.3.2'))
const name = buildName({ commonName: 'x' })
const time = der.time(new Date('2026-01-01'))
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' })
const extension = der.sequence(der.oid('2.5.29.99'), der.boolean(false), der.octetString(Buffer.alloc(1)))
const extensions = der.explicitTag(3, der.sequence(extension))
const version = (number: number) => der.explicitTag(0, der.integer(number))

interface Pieces {
  readonly front?: readonly Buffer[]
  readonly validity?: Buffer
  readonly subject?: Buffer
  readonly back?: readonly Buffer[]
}

function tbs({ front = [], validity = der.sequence(time, time), subject = name, back = [] }: Pieces): Buffer {
  return der.sequence(...front, der.integer(7), algorithm, name, validity, subject, key, ...back)
}

describe('parseTbsCertificate', () => {
  it('parses versions 1 to 3, unique identifiers and extensions', () => {
    assert.equal(parseTbsCertificate(tbs({})).version, 1)
    assert.equal(
      parseTbsCertificate(tbs({ front: [version(1)], back: [der.implicitTag(1, Buffer.alloc(2))] })).version,
      2,
    )
    const third = parseTbsCertificate(tbs({ front: [version(2)], back: [extensions] }))
    assert.equal(third.version, 3)
    assert.deepEqual(third.extensions.get('2.5.29.99'), { critical: false, value: Buffer.alloc(1) })
  })

  it('refuses certificates with any other structure', () => {
    const refused: Record<string, Buffer> = {
      'a default that is spelled out': tbs({ front: [version(0)] }),
      'version 4': tbs({ front: [version(3)] }),
      'a version of two octets': tbs({ front: [version(300)] }),
      'two versions': tbs({ front: [der.explicitTag(0, der.integer(2), der.integer(2))] }),
      'extensions before version 3': tbs({ front: [version(1)], back: [extensions] }),
      'something after the extensions': tbs({ front: [version(2)], back: [extensions, der.nullValue()] }),
      'an extension without value': tbs({
        front: [version(2)],
        back: [der.explicitTag(3, der.sequence(der.sequence(der.oid('2.5.29.99'))))],
      }),
      'one date': tbs({ validity: der.sequence(time) }),
      'three dates': tbs({ validity: der.sequence(time, time, time) }),
      'numbers for dates': tbs({ validity: der.sequence(der.integer(1), der.integer(2)) }),
      'a name of names': tbs({ subject: der.sequence(name) }),
      'a name part without value': tbs({ subject: der.sequence(der.setOf(der.sequence(der.oid('2.5.4.3')))) }),
      'no sequence': der.setOf(),
    }
    for (const [title, bytes] of Object.entries(refused)) {
      assert.throws(() => parseTbsCertificate(bytes), DerError, title)
    }
  })
})
