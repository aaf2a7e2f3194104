import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressPolicy, isLoopbackAddress } from '../../src/outbound/address-policy.ts'
import { unwrapAddress } from '../../src/outbound/embedded-address.ts'

const CLOSED = { allowPrivateAddresses: false, allowedNetworks: [], deniedNetworks: [], allowLoopback: false }

test('W-38 an unreadable address is refused', () => {
  const policy = createAddressPolicy({ ...CLOSED, allowPrivateAddresses: true })
  for (const text of ['', 'idp.example', '1.2.3', '1.2.3.4.5', '[::1]', '0x7f.1', '1.2.3.4/8']) {
    assert.ok(policy(text)?.includes('is not an IP address'), text)
  }
  assert.equal(policy('1.2.3.4'), undefined)
})

test('W-38 G-04 an IPv4 address inside an IPv6 address is checked as IPv4', () => {
  for (const [text, address] of [
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:0a00:0001', '10.0.0.1'],
    ['::10.0.0.1', '10.0.0.1'],
    ['::ffff:0:10.0.0.1', '10.0.0.1'],
    ['64:ff9b::10.0.0.1', '10.0.0.1'],
    ['2002:a00:1::5', '10.0.0.1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['::1', '::1'],
    ['::', '::'],
    ['2606:4700::1', '2606:4700::1'],
    ['10.0.0.1', '10.0.0.1'],
    ['nonsense', undefined],
  ] as const) {
    assert.equal(unwrapAddress(text), address, text)
  }
})

test('W-39 allowed networks open private addresses, but neither denied nor reserved ones', () => {
  const policy = createAddressPolicy({
    ...CLOSED,
    allowedNetworks: ['10.0.0.0/8', '169.254.0.0/16', '::1'],
    deniedNetworks: ['10.9.0.0/16'],
  })
  assert.equal(policy('10.1.1.1'), undefined)
  assert.equal(policy('::ffff:10.1.1.1'), undefined)
  assert.equal(policy('::1'), undefined)
  assert.ok(policy('10.9.1.1')?.includes('jwks.deniedNetworks'))
  assert.ok(policy('169.254.169.254')?.includes('metadata'))
  assert.ok(policy('192.168.0.1')?.includes('jwks.allowedNetworks'))
  assert.ok(policy('fe80::1%eth0')?.includes('link-local'))
})

test('G-03 loopback is distinguished from private, so that development mode opens nothing else', () => {
  const policy = createAddressPolicy({ ...CLOSED, allowLoopback: true })
  for (const address of ['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1']) {
    assert.equal(policy(address), undefined)
    assert.ok(createAddressPolicy(CLOSED)(address)?.includes('loopback'))
    assert.ok(isLoopbackAddress(address))
  }
  for (const address of ['10.0.0.1', '::', '0.0.0.0', 'nonsense']) {
    assert.notEqual(policy(address), undefined)
    assert.ok(!isLoopbackAddress(address))
  }
})
