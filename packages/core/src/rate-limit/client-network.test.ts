import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork } from './client-network.ts'

test('R-02 addresses of one /64 are one client, those of the next are another', () => {
  const of = clientNetwork('2001:db8:1:2:3:4:5:6')
  for (const same of ['2001:db8:1:2::', '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::1%eth0']) {
    assert.equal(clientNetwork(same), of, same)
  }
  for (const other of ['2001:db8:1:3::', '2001:db8:0:2::', '::1', 'fe80::1']) {
    assert.notEqual(clientNetwork(other), of, other)
  }
})

test('an IPv4 address is a client of its own, however it is written', () => {
  assert.equal(clientNetwork('192.0.2.1'), '192.0.2.1')
  assert.equal(clientNetwork('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(clientNetwork('::ffff:c000:201'), '192.0.2.1')
  assert.notEqual(clientNetwork('192.0.2.2'), clientNetwork('192.0.2.1'))
})

test('whatever is no address is one client', () => {
  const texts = ['', 'x', '1.2.3', '1.2.3.4.5', '256.1.1.1', ':::', '1.2.3.4, 5.6.7.8', '٣.1.1.1', 'a'.repeat(10_000)]
  assert.equal(new Set(texts.map(clientNetwork)).size, 1)
  assert.notEqual(clientNetwork('1.2.3.4'), clientNetwork('x'))
})
