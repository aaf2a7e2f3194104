import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeEvent, isTrouble } from './describe-event.ts'

const event = (namespace: string, members: Record<string, unknown>) => ({
  streamId: '1',
  namespace,
  timestamp: '2026-11-15T10:00:00Z',
  ...members,
})
const nameOf = (id: string) => ({ a: 'alice', s: 'Partner' })[id]

test('events are told in a sentence, with the name of who it was where it is known', () => {
  const signIn = { type: 'ext-jwt', success: true, identity_id: 'a' }
  assert.equal(describeEvent(event('authentication', signIn), nameOf), 'alice signed in by token')
  const unknown = { ...signIn, identity_id: 'b' }
  assert.equal(describeEvent(event('authentication', unknown), nameOf), 'Somebody signed in by token')
  const refused = event('authentication', { ...signIn, success: false, reason: 'token-expired' })
  assert.equal(describeEvent(refused, nameOf), 'Sign-in by token refused for alice: token-expired')
  const session = event('apiSession', { event_type: 'addressChanged', identity_id: 'a', ip_address: '10.0.0.1' })
  assert.equal(describeEvent(session, nameOf), 'Session of alice used from a new network, 10.0.0.1')
  const change = {
    eventType: 'deleted',
    entityType: 'externalJwtSigners',
    metadata: { author: { name: 'admin' } },
    initialState: { name: 'old' },
    finalState: null,
  }
  assert.equal(describeEvent(event('entityChange', change)), 'admin deleted the signer “old”')
  const own = { ...change, metadata: { author: { type: 'system', name: 'system' } } }
  assert.equal(describeEvent(event('entityChange', own)), 'The controller deleted the signer “old”')
  const health = event('signerHealth', { external_jwt_signer_id: 's', message: 'the provider is down' })
  assert.equal(describeEvent(health, nameOf), 'The signer “Partner”: the provider is down')
  assert.equal(describeEvent(event('something new', {})), 'something new')
})

test('refusals and the health of signers are trouble, the rest is not', () => {
  assert.equal(isTrouble(event('authentication', { success: false })), true)
  assert.equal(isTrouble(event('signerHealth', {})), true)
  assert.equal(isTrouble(event('authentication', { success: true })), false)
  assert.equal(isTrouble(event('entityChange', {})), false)
})
