import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkHistory, checkStored, KNOWN_WITHIN_MS, type Operation } from './check-history.ts'

const at = (from: number, kind: Operation['kind'], status: number | undefined, node = 0): Operation => ({
  kind,
  who: 'somebody',
  ...(kind === 'use' || kind === 'revoke' ? { session: 'one' } : {}),
  node,
  from,
  to: from + 5,
  status,
})

const LATER = KNOWN_WITHIN_MS + 100
const GOOD: readonly Operation[] = [
  at(0, 'enroll', undefined, 1),
  at(10, 'enroll', 200),
  at(12, 'enroll', 409, 1),
  at(20, 'sign-in', 200, 1),
  at(30, 'use', 200),
  at(40, 'revoke', 200),
  at(41, 'use', 401),
  at(50, 'use', 200, 1),
  at(60, 'use', 401, 1),
  at(LATER, 'use', 401, 1),
  at(LATER, 'revoke', 401, 1),
]

const WRONG: readonly (readonly [what: string, history: readonly Operation[]])[] = [
  ['two enrollments of one token', [at(0, 'enroll', 200), at(0, 'enroll', 200, 1)]],
  ['a conflict with nobody', [at(0, 'enroll', 409)]],
  ['an error that is none of the answers', [at(0, 'enroll', 500)]],
  ['a sign-in before the enrollment', [at(0, 'sign-in', 200), at(10, 'enroll', 200)]],
  ['an enrollment that another node has lost', [at(0, 'enroll', 200), at(10, 'sign-in', 401, 1)]],
  ['a session that is lost', [at(0, 'use', 200), at(10, 'use', 401)]],
  ['a revocation that does nothing', [at(0, 'revoke', 200), at(5, 'use', 200)]],
  ['a revocation that the other node never hears of', [at(0, 'revoke', 200), at(LATER, 'use', 200, 1)]],
  ['a session that comes back', [at(0, 'revoke', undefined), at(10, 'use', 401), at(20, 'use', 200)]],
  ['a revocation of what is not there', [at(0, 'revoke', 401)]],
]

test('a history that can have happened is accepted, whatever was left open by a fault', () => {
  assert.deepEqual(checkHistory(GOOD), [])
  assert.deepEqual(checkHistory(GOOD.map((operation) => ({ ...operation, status: undefined }))), [])
})

for (const [what, history] of WRONG) {
  test(`a history with ${what} is refused`, () => {
    assert.equal(checkHistory(history).length > 0, true)
  })
}

test('who was told that he is enrolled is stored, once, and nobody else is', () => {
  const history = [at(0, 'enroll', 200), { ...at(0, 'enroll', undefined), who: 'another' }]
  assert.deepEqual(checkStored(history, ['somebody']), [])
  assert.deepEqual(checkStored(history, ['somebody', 'another']), [])
  assert.equal(checkStored(history, ['another']).length, 1)
  assert.equal(checkStored(history, ['somebody', 'somebody']).length, 1)
  assert.equal(checkStored(history, ['somebody', 'a stranger']).length, 1)
})
