import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PERMISSIONS } from '@countersign/contract/permission'
import { CALL_ACCESS } from './call-access.ts'
import { type Call, meets } from './rights.ts'

const CALLS = Object.keys(CALL_ACCESS) as Call[]
const PLAIN = { isAdmin: false, permissions: null }
const READER = { isAdmin: false, permissions: ['identity.read'] as const }
const ADMIN = { isAdmin: true }

test('a plain person meets no need, and an administrator every one', () => {
  assert.deepEqual(
    CALLS.filter((call) => meets(PLAIN, call)),
    [],
  )
  assert.equal(
    CALLS.every((call) => meets(ADMIN, call)),
    true,
  )
  assert.deepEqual([meets(PLAIN, 'administrator'), meets(ADMIN, 'administrator')], [false, true])
})

test('a permission to read meets the needs of reading, and of nothing else', () => {
  const met = CALLS.filter((call) => meets(READER, call))
  assert.ok(met.includes('GET /identities/:id'))
  // A prediction changes nothing.
  const isRead = (call: Call) => call.startsWith('GET ') || call === 'POST /what-if'
  assert.ok(met.every((call) => isRead(call) && CALL_ACCESS[call].entity === 'identity'))
  assert.equal(meets(READER, ['GET /summary', 'GET /identities']), true)
  assert.equal(meets(READER, ['GET /summary', 'GET /events']), false)
})

test('an identity with more rights is not changed', () => {
  const caller = { isAdmin: false, permissions: ['identity'] as const }
  assert.equal(meets(caller, 'DELETE /identities/:id', PLAIN), true)
  assert.equal(meets(caller, 'DELETE /identities/:id', READER), true)
  assert.equal(meets(caller, 'DELETE /identities/:id', ADMIN), false)
  assert.equal(meets({ isAdmin: false, permissions: PERMISSIONS }, 'DELETE /identities/:id', ADMIN), false)
})
