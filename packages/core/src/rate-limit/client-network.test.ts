import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork, findClientSite } from './client-network.ts'

test('R-02 addresses in one /64 are one client, those in the next /64 another', () => {
  const of = clientNetwork('2001:db8:1:2:3:4:5:6')
  for (const same of ['2001:db8:1:2::', '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::1%eth0']) {
    assert.equal(clientNetwork(same), of, same)
  }
  for (const other of ['2001:db8:1:3::', '2001:db8:0:2::', '::1', 'fe80::1']) {
    assert.notEqual(clientNetwork(other), of, other)
  }
})

test('each IPv4 address is one client, also when mapped into IPv6', () => {
  assert.equal(clientNetwork('192.0.2.1'), '192.0.2.1')
  assert.equal(clientNetwork('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(clientNetwork('::ffff:c000:201'), '192.0.2.1')
  assert.notEqual(clientNetwork('192.0.2.2'), clientNetwork('192.0.2.1'))
})

test('all invalid addresses are one client', () => {
  const texts = ['', 'x', '1.2.3', '1.2.3.4.5', '256.1.1.1', ':::', '1.2.3.4, 5.6.7.8', '٣.1.1.1', 'a'.repeat(10_000)]
  assert.equal(new Set(texts.map(clientNetwork)).size, 1)
  assert.notEqual(clientNetwork('1.2.3.4'), clientNetwork('x'))
})

test('R-02 the /64 networks of one /48 are one site; IPv4 and invalid addresses have none', () => {
  const site = findClientSite('2001:db8:1:2::1')
  assert.ok(site !== undefined)
  assert.equal(findClientSite('2001:db8:1:ffff::1'), site)
  assert.notEqual(findClientSite('2001:db8:2:2::1'), site)
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', 'x'])
    assert.equal(findClientSite(address), undefined, address)
})
