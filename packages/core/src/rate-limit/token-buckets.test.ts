import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBuckets } from './token-buckets.ts'

const NOW = 1_800_000_000_000

function takeMany(buckets: TokenBuckets, key: string, count: number, now: number): number {
  let taken = 0
  for (let nth = 0; nth < count; nth++) if (buckets.take(key, now) === 0) taken++
  return taken
}

test('grants a burst, then the rate per second, and returns the time to wait', () => {
  const buckets = new TokenBuckets({ burst: 10, perSecond: 2 })
  assert.equal(takeMany(buckets, 'a', 20, NOW), 10)
  assert.equal(buckets.take('a', NOW), 500)
  assert.equal(buckets.take('a', NOW + 499), 1)
  assert.equal(buckets.take('a', NOW + 500), 0)
  assert.equal(takeMany(buckets, 'a', 20, NOW + 5_500), 10, 'after five seconds the burst is whole again, and no more')
  assert.equal(takeMany(buckets, 'b', 20, NOW), 10, 'another key has its own')
})

test('R-05 a token that is given back can be taken again, but never more than the burst', () => {
  const buckets = new TokenBuckets({ burst: 3, perSecond: 1 })
  for (let nth = 0; nth < 1000; nth++) {
    assert.equal(buckets.take('a', NOW), 0)
    buckets.giveBack('a')
  }
  for (let nth = 0; nth < 10; nth++) buckets.giveBack('a')
  assert.equal(takeMany(buckets, 'a', 10, NOW), 3)
})

test('tokens that another process has granted are missing here, down to an empty bucket, and can be given back', () => {
  const buckets = new TokenBuckets({ burst: 10, perSecond: 1 })
  buckets.spend('a', 4, NOW)
  assert.equal(takeMany(buckets, 'a', 20, NOW), 6)
  buckets.spend('a', 1000, NOW)
  assert.equal(buckets.take('a', NOW), 1000, 'the bucket is empty, not in debt')
  buckets.spend('a', -3, NOW)
  assert.equal(takeMany(buckets, 'a', 20, NOW), 3)
  buckets.spend('a', 1, NOW + 5_000)
  assert.equal(takeMany(buckets, 'a', 20, NOW + 5_000), 4, 'refilled before the tokens are taken')
})

test('S-08 a clock that is set back an hour refills nothing, and does not stop later refills', () => {
  const buckets = new TokenBuckets({ burst: 5, perSecond: 1 })
  assert.equal(takeMany(buckets, 'a', 5, NOW), 5)
  assert.notEqual(buckets.take('a', NOW - 3_600_000), 0)
  assert.equal(buckets.take('a', NOW - 3_600_000 + 1_000), 0)
})

test('R-02 S-12 a million other keys neither refill nor empty a bucket', () => {
  const buckets = new TokenBuckets({ burst: 100, perSecond: 1 })
  assert.equal(takeMany(buckets, 'attacker', 200, NOW), 100)
  for (let other = 0; other < 200_000; other++) buckets.take(`other ${other}`, NOW)
  assert.equal(takeMany(buckets, 'attacker', 100, NOW), 0)
  const served = Array.from({ length: 1000 }, (_, nth) => buckets.take(`innocent ${nth}`, NOW) === 0)
  assert.equal(served.filter(Boolean).length, 1000)
})

test('a client that shares one of its two buckets with an attacker is served', () => {
  const buckets = new TokenBuckets({ burst: 1000, perSecond: 1 }, 256)
  for (let attacker = 0; attacker < 40; attacker++) takeMany(buckets, `attacker ${attacker}`, 1000, NOW)
  // One in seven buckets is empty: one table would refuse that many, but only one key in fifty shares both its buckets.
  const refused = Array.from({ length: 1000 }, (_, nth) => buckets.take(`innocent ${nth}`, NOW)).filter(Boolean)
  assert.ok(refused.length < 80, `${refused.length} of 1000 were refused`)
})

test('a bucket with debt is refilled from below zero, and spends no more than that', () => {
  const size = { burst: 10, perSecond: 1 }
  const [plain, indebted] = [new TokenBuckets(size), new TokenBuckets({ ...size, debt: 20 })]
  for (const buckets of [plain, indebted]) buckets.spend('a', 100, 0)
  assert.equal(plain.waitFor('a', 1, 0), 1_000)
  assert.equal(indebted.waitFor('a', 1, 0), 21_000)
  assert.equal(indebted.waitFor('a', 1, 21_000), 0)
})
