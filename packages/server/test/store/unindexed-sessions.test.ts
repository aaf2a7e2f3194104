import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnindexedSessions } from '../../src/store/sqlite/unindexed-sessions.ts'

const IDENTITIES = 5_000
const SESSIONS = 30_000

test('each of thousands of identities gets its own sessions, except those taken or dropped', () => {
  const unindexed = new UnindexedSessions()
  const expected = new Map<string, number[]>()
  const idOf = (number: number) => `identity-${(number * 7919) % IDENTITIES}`
  for (let seq = 1; seq <= SESSIONS; seq += 1) {
    const id = idOf(seq)
    unindexed.add(id, seq)
    expected.set(id, [...(expected.get(id) ?? []), seq])
  }
  assert.equal(unindexed.count, SESSIONS)
  const take = (id: string) => unindexed.take(id).sort((a, b) => a - b)

  for (let number = 0; number < 1_000; number += 1) {
    const id = idOf(number)
    assert.deepEqual(take(id), expected.get(id), id)
    assert.deepEqual(take(id), [], 'once')
  }
  unindexed.add(idOf(0), SESSIONS + 1)
  unindexed.dropUntil(SESSIONS / 2)
  assert.deepEqual(take(idOf(0)), [SESSIONS + 1])
  for (let number = 1; number < IDENTITIES; number += 1) {
    const id = idOf(number)
    const left = number < 1_000 ? [] : (expected.get(id) ?? []).filter((seq) => seq > SESSIONS / 2)
    assert.deepEqual(take(id), left, id)
  }
  unindexed.dropUntil(Number.POSITIVE_INFINITY)
  assert.equal(unindexed.count, 0)
})
