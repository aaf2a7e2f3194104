import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkHistory, checkStored, type Operation, VISIBLE_WITHIN_MS } from './check-history.ts'

const at = (from: number, kind: Operation['kind'], status: number | undefined, node = 0): Operation => ({
  kind,
  name: 'alice',
  ...(kind === 'use' || kind === 'revoke' ? { session: 'one' } : {}),
  node,
  from,
  to: from + 5,
  status,
})

const LATER = VISIBLE_WITHIN_MS + 100
const GOOD: readonly Operation[] = [
  at(0, 'enroll', undefined, 1),
  at(10, 'enroll', 200),
  at(12, 'enroll', 409, 1),
  at(20, 'login', 200, 1),
  at(30, 'use', 200),
  at(40, 'revoke', 200),
  at(41, 'use', 401),
  at(50, 'use', 200, 1),
  at(60, 'use', 401, 1),
  at(LATER, 'use', 401, 1),
  at(LATER, 'revoke', 401, 1),
]

const WRONG: readonly (readonly [description: string, history: readonly Operation[]])[] = [
  ['two enrollments of one token', [at(0, 'enroll', 200), at(0, 'enroll', 200, 1)]],
  ['a conflict without another enrollment', [at(0, 'enroll', 409)]],
  ['an unexpected status', [at(0, 'enroll', 500)]],
  ['a login before the enrollment', [at(0, 'login', 200), at(10, 'enroll', 200)]],
  ['an enrollment that another node has lost', [at(0, 'enroll', 200), at(10, 'login', 401, 1)]],
  ['a session that is lost', [at(0, 'use', 200), at(10, 'use', 401)]],
  ['a revocation without effect', [at(0, 'revoke', 200), at(5, 'use', 200)]],
  ['a revocation that the other node never sees', [at(0, 'revoke', 200), at(LATER, 'use', 200, 1)]],
  ['a session that comes back', [at(0, 'revoke', undefined), at(10, 'use', 401), at(20, 'use', 200)]],
  ['a refused revocation without another one', [at(0, 'revoke', 401)]],
]

test('a possible history is accepted, with any calls interrupted by a fault', () => {
  assert.deepEqual(checkHistory(GOOD), [])
  assert.deepEqual(checkHistory(GOOD.map((operation) => ({ ...operation, status: undefined }))), [])
})

for (const [description, history] of WRONG) {
  test(`a history with ${description} is refused`, () => {
    assert.equal(checkHistory(history).length > 0, true)
  })
}

test('acknowledged identities are stored once, and no others', () => {
  const history = [at(0, 'enroll', 200), { ...at(0, 'enroll', undefined), name: 'bob' }]
  assert.deepEqual(checkStored(history, ['alice']), [])
  assert.deepEqual(checkStored(history, ['alice', 'bob']), [])
  assert.equal(checkStored(history, ['bob']).length, 1)
  assert.equal(checkStored(history, ['alice', 'alice']).length, 1)
  assert.equal(checkStored(history, ['alice', 'mallory']).length, 1)
})
