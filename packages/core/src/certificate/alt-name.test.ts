import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { buildSpiffeUri, findHostAltName } from './alt-name.ts'
import { findIpOctets } from './ip-address.ts'

describe('findIpOctets', () => {
  it('parses IPv4 and every notation of IPv6', () => {
    const addresses: Record<string, string> = {
      '127.0.0.1': '7f000001',
      '255.255.255.255': 'ffffffff',
      '::': '00'.repeat(16),
      '::1': `${'00'.repeat(15)}01`,
      'FE80::1': `fe80${'00'.repeat(13)}01`,
      '2001:db8:1:2:3:4:5:6': '20010db8000100020003000400050006',
      '1:2:3:4:5:6:7::': '00010002000300040005000600070000',
      '::ffff:10.0.0.1': `${'00'.repeat(10)}ffff0a000001`,
    }
    for (const [text, hex] of Object.entries(addresses)) assert.equal(findIpOctets(text)?.toString('hex'), hex, text)
  })

  it('refuses an IPv6 address with too many groups', () => {
    assert.ok(findIpOctets('1:2:3:4:5:6:7:8'))
    for (const text of ['1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7::8', '1:2:3:4:5:6:7:1.2.3.4', '1:2:3:4:5:6:7:8:9::']) {
      assert.equal(findIpOctets(text), undefined, text)
    }
    assert.ok(findIpOctets('1:2:3:4:5:6::8'))
  })

  it('accepts the same addresses as node:net', () => {
    const part = fc.constantFrom(
      '0',
      '1',
      '12',
      '255',
      '256',
      '01',
      'ff',
      'abcd',
      '12345',
      '',
      ':',
      '::',
      '.',
      '1.2.3.4',
      'g',
    )
    const text = fc
      .array(fc.tuple(part, fc.constantFrom(':', '.', '')), { maxLength: 9 })
      .map((parts) => parts.flat().join(''))
    fc.assert(
      fc.property(text, (candidate) => assert.equal(findIpOctets(candidate) !== undefined, isIP(candidate) !== 0)),
      { numRuns: 5000 },
    )
  })
})

describe('findHostAltName', () => {
  it('distinguishes addresses from names, and lower-cases names', () => {
    assert.deepEqual(findHostAltName('10.0.0.1'), { type: 'ip', octets: Buffer.from([10, 0, 0, 1]) })
    assert.deepEqual(findHostAltName('Ctrl.Example.Test'), { type: 'dns', name: 'ctrl.example.test' })
    assert.deepEqual(findHostAltName('localhost'), { type: 'dns', name: 'localhost' })
  })

  it('refuses a text that is not a host', () => {
    const refused = [
      '',
      ' ',
      'a b',
      'a..b',
      '-a.test',
      'a-.test',
      'é.test',
      'a.test/x',
      '*.test',
      '10.0.0.256',
      `${'a'.repeat(64)}.test`,
    ]
    for (const host of refused) assert.equal(findHostAltName(host), undefined, host)
    assert.ok(findHostAltName(`${'a'.repeat(63)}.test`))
    assert.ok(findHostAltName('a-b.test'))
  })
})

describe('buildSpiffeUri', () => {
  it('percent-encodes everything outside the unreserved characters', () => {
    assert.deepEqual(buildSpiffeUri('td'), { type: 'uri', uri: 'spiffe://td' })
    assert.deepEqual(buildSpiffeUri('td', 'identity', 'a/b@é'), {
      type: 'uri',
      uri: 'spiffe://td/identity/a%2Fb%40%C3%A9',
    })
    assert.throws(() => buildSpiffeUri('T D'), TypeError)
  })
})
