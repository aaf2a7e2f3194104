import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnfiledSessions } from '../../src/store/sqlite/unfiled-sessions.ts'

const IDENTITIES = 5_000
const SESSIONS = 30_000

test('of thousands of identities each gets its own sessions, those that are taken or dropped no more', () => {
  const unfiled = new UnfiledSessions()
  const wanted = new Map<string, number[]>()
  const idOf = (number: number) => `identity-${(number * 7919) % IDENTITIES}`
  for (let seq = 1; seq <= SESSIONS; seq += 1) {
    const id = idOf(seq)
    unfiled.add(id, seq)
    wanted.set(id, [...(wanted.get(id) ?? []), seq])
  }
  assert.equal(unfiled.count, SESSIONS)
  const take = (id: string) => unfiled.take(id).sort((a, b) => a - b)

  for (let number = 0; number < 1_000; number += 1) {
    const id = idOf(number)
    assert.deepEqual(take(id), wanted.get(id), id)
    assert.deepEqual(take(id), [], 'once')
  }
  unfiled.add(idOf(0), SESSIONS + 1)
  unfiled.dropUntil(SESSIONS / 2)
  assert.deepEqual(take(idOf(0)), [SESSIONS + 1])
  for (let number = 1; number < IDENTITIES; number += 1) {
    const id = idOf(number)
    const left = number < 1_000 ? [] : (wanted.get(id) ?? []).filter((seq) => seq > SESSIONS / 2)
    assert.deepEqual(take(id), left, id)
  }
  unfiled.dropUntil(Number.POSITIVE_INFINITY)
  assert.equal(unfiled.count, 0)
})
