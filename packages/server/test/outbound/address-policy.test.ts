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

const METADATA = {
  Amazon: ['169.254.169.254', '169.254.170.2', '169.254.170.23', 'fd00:ec2::254', 'fd00:ec2::23', 'fd00:ec2::253'],
  Google: ['169.254.169.254', 'fd20:ce::254'],
  Azure: ['169.254.169.254', '168.63.129.16'],
  Oracle: ['169.254.169.254', '192.0.0.192', 'fd00:c1::a9fe:a9fe'],
  Alibaba: ['100.100.100.200'],
  Tencent: ['169.254.0.23', '169.254.10.10'],
  Volcengine: ['100.96.0.96'],
  Akamai: ['169.254.169.254', 'fd00:a9fe:a9fe::1'],
  Scaleway: ['169.254.42.42', 'fd00:42::42'],
  OpenStack: ['169.254.169.254', 'fe80::a9fe:a9fe', 'fe80::a9fe:a9fe%eth0'],
}

test('D67 G-02 metadata addresses of clouds are refused whatever the settings allow', () => {
  const everything = [
    '0.0.0.0/0',
    '::/0',
    ...Object.values(METADATA)
      .flat()
      .filter((text) => !text.includes('%')),
  ]
  const open = createAddressPolicy({
    allowPrivateAddresses: true,
    allowedNetworks: everything,
    deniedNetworks: [],
    allowLoopback: true,
  })
  for (const [cloud, addresses] of Object.entries(METADATA)) {
    for (const address of addresses) {
      assert.ok(open(address)?.includes('metadata'), `${cloud} ${address}`)
      if (address.includes('.'))
        assert.ok(open(`::ffff:${address}`)?.includes('metadata'), `${cloud} ::ffff:${address}`)
    }
  }
  for (const neighbour of ['100.100.100.201', '100.96.0.97', '168.63.129.17', 'fd00:ec3::254', 'fd20:cf::254']) {
    assert.equal(open(neighbour), undefined, neighbour)
  }
})

test('D67 allowing private addresses does not allow loopback, which has its own setting', () => {
  const wide = {
    ...CLOSED,
    allowPrivateAddresses: true,
    allowedNetworks: ['0.0.0.0/0', '126.0.0.0/7', '::/0', '::/127'],
  }
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::7f00:1']) {
    assert.ok(createAddressPolicy(wide)(address)?.includes('jwks.allowLoopback'), address)
    assert.equal(createAddressPolicy({ ...wide, allowLoopback: true })(address), undefined, address)
  }
  assert.equal(createAddressPolicy(wide)('10.0.0.1'), undefined)
  const named = createAddressPolicy({ ...CLOSED, allowedNetworks: ['127.0.0.8/29'] })
  assert.equal(named('127.0.0.9'), undefined)
  assert.ok(named('127.0.0.1')?.includes('loopback'))
})
