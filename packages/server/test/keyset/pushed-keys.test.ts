import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey, mintKeySet } from '@countersign/testkit'
import { pino } from 'pino'
import { PushedKeys } from '../../src/keyset/pushed-keys.ts'
import { PUSHED } from '../../src/store/key-signer.ts'
import { createFakeTime } from './fake-time.ts'

const KEY = mintKey('P-256')
const HOUR = 3_600_000
const jwks = JSON.stringify(mintKeySet(KEY))

function setUp(maxAgeSeconds: number) {
  const time = createFakeTime()
  const warnings: string[] = []
  const warn = ({ kind }: { kind: string }) => void warnings.push(kind)
  const { clock, scheduler } = time
  const keys = new PushedKeys('s', maxAgeSeconds, { clock, scheduler, log: pino({ level: 'silent' }), warn })
  return { time, warnings, keys, push: () => keys.adopt({ ...PUSHED, jwks, fetchedAt: clock.now() }) }
}

test('F-15 a warning is published once at half the age and once at its end, and again after another push', async () => {
  const { time, warnings, keys, push } = setUp(30 * 24 * 3600)
  assert.match(keys.facts().warnings.join(), /no keys have been pushed/)
  push()
  const [key] = keys.keys().values()
  for (let hours = 0; hours < 15 * 24 - 1; hours++) await time.advance(HOUR)
  assert.deepEqual([warnings, keys.facts().warnings], [[], []])
  for (let hours = 0; hours < 2; hours++) await time.advance(HOUR)
  assert.deepEqual(warnings, ['pushed-keys-aging'])
  for (let hours = 0; hours < 15 * 24; hours++) await time.advance(HOUR)
  assert.deepEqual(warnings, ['pushed-keys-aging', 'pushed-keys-stale'])
  assert.equal(keys.facts().isStale, true)
  push()
  assert.deepEqual([keys.facts().isStale, keys.facts().warnings], [false, []])
  const [again] = keys.keys().values()
  assert.equal(again?.keyObject, key?.keyObject, 'the same keys are not parsed again')
  assert.notEqual(again?.staleAtMs, key?.staleAtMs)
  keys.stop()
})

test('F-15 neither an older set, nor one that was fetched, nor a damaged one replaces pushed keys', () => {
  const { time, keys, push } = setUp(300)
  push()
  const served = keys.keys()
  const now = time.clock.now()
  for (const stored of [
    { ...PUSHED, jwks, fetchedAt: now },
    { ...PUSHED, jwks, fetchedAt: now - 1 },
    { url: 'https://idp.example', caDigest: '', jwks, fetchedAt: now + 1 },
    { ...PUSHED, jwks: 'damaged', fetchedAt: now + 1 },
  ]) {
    keys.adopt(stored)
    assert.equal(keys.keys(), served)
  }
  keys.stop()
})
