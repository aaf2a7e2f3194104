import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decisionIdOf, describeEvent, needsAttention } from './describe-event.ts'

const event = (namespace: string, members: Record<string, unknown>) => ({
  streamId: '1',
  namespace,
  timestamp: '2026-11-15T10:00:00Z',
  ...members,
})
const nameOf = (id: string) => ({ a: 'alice', s: 'Partner' })[id]

test('describeEvent gives one sentence, with the name of the identity where it is known', () => {
  const login = { type: 'ext-jwt', success: true, identity_id: 'a' }
  assert.equal(describeEvent(event('authentication', login), nameOf), 'alice signed in by token')
  const unknown = { ...login, identity_id: 'b' }
  assert.equal(describeEvent(event('authentication', unknown), nameOf), 'The identity b signed in by token')
  assert.equal(describeEvent(event('authentication', { ...login, identity_id: '' })), 'An identity signed in by token')
  const refused = event('authentication', { ...login, success: false, reason: 'token-expired' })
  assert.equal(describeEvent(refused, nameOf), 'Login by token refused for alice: token-expired')
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
  const sink = event('entityChange', { ...change, entityType: 'eventSinks' })
  assert.equal(describeEvent(sink), 'admin deleted the event sink “old”')
  const ended = { event_type: 'deleted', identity_id: 'a', ip_address: '10.0.0.1' }
  const cause = { ...ended, message: 'ended by back-channel logout of signer Partner' }
  assert.equal(
    describeEvent(event('apiSession', cause), nameOf),
    'Session of alice ended by back-channel logout of signer Partner, 10.0.0.1',
  )
  const message = { type: 'backchannel-logout', external_jwt_signer_id: 's' }
  const applied = event('providerEvent', { ...message, event_type: 'applied', sessions_ended: 2 })
  assert.equal(describeEvent(applied, nameOf), 'backchannel-logout of the signer “Partner” applied, 2 sessions ended')
  const deleted = event('providerEvent', {
    ...message,
    type: 'scim',
    event_type: 'applied',
    action: 'delete',
    sessions_ended: 1,
  })
  assert.equal(
    describeEvent(deleted, nameOf),
    'scim of the signer “Partner” applied: deleted an identity, 1 sessions ended',
  )
  const refusedMessage = event('providerEvent', { ...message, event_type: 'refused', reason: 'token-expired' })
  assert.equal(
    describeEvent(refusedMessage, nameOf),
    'backchannel-logout of the signer “Partner” refused: token-expired',
  )
  assert.deepEqual([needsAttention(applied), needsAttention(refusedMessage)], [false, true])
  const system = { ...change, metadata: { author: { type: 'system', name: 'system' } } }
  assert.equal(describeEvent(event('entityChange', system)), 'The controller deleted the signer “old”')
  const health = event('signerHealth', { external_jwt_signer_id: 's', message: 'the provider is down' })
  assert.equal(describeEvent(health, nameOf), 'The signer “Partner”: the provider is down')
  const synced = { identity_name: 'alice', external_jwt_signer_id: 's', added: ['b'], removed: ['c'] }
  const changed = event('identitySync', { event_type: 'changed', ...synced })
  assert.equal(describeEvent(changed, nameOf), 'alice changed by the signer “Partner”: +b −c')
  const renamed = event('identitySync', { event_type: 'changed', ...synced, added: [], removed: [] })
  assert.equal(describeEvent(renamed, nameOf), 'alice changed by the signer “Partner”')
  const warning = event('identitySync', { event_type: 'warning', ...synced, claim: 'groups', message: 'no claim' })
  assert.equal(describeEvent(warning, nameOf), 'alice, claim groups of the signer “Partner”: no claim')
  const unused = event('apiAccount', { api_account_name: 'ci', message: 'not used' })
  assert.equal(describeEvent(unused), 'API account “ci”: not used')
  assert.equal(describeEvent(event('something new', {})), 'something new')
})

test('refusals and signer health events need attention, others do not', () => {
  assert.equal(needsAttention(event('authentication', { success: false })), true)
  assert.equal(needsAttention(event('signerHealth', {})), true)
  assert.equal(needsAttention(event('apiAccount', {})), true)
  assert.equal(needsAttention(event('authentication', { success: true })), false)
  assert.equal(needsAttention(event('entityChange', {})), false)
  assert.equal(needsAttention(event('identitySync', { event_type: 'warning' })), true)
  assert.equal(needsAttention(event('identitySync', { event_type: 'changed' })), false)
})

test('a refusal names the identity of its decision, and links to it', () => {
  const whoOf = (id: string) => (id === 'r1' ? 'bob@idp.example' : undefined)
  const refused = event('authentication', {
    type: 'ext-jwt',
    success: false,
    identity_id: '',
    request_id: 'r1',
    reason: 'unknown-identity',
  })
  assert.equal(describeEvent(refused, whoOf), 'Login by token refused for bob@idp.example: unknown-identity')
  assert.equal(describeEvent({ ...refused, request_id: 'r2' }, whoOf), 'Login by token refused: unknown-identity')
  assert.equal(decisionIdOf(refused), 'r1')
  assert.equal(decisionIdOf({ ...refused, success: true }), undefined)
  assert.equal(decisionIdOf(event('providerEvent', { event_type: 'refused', request_id: 'r3' })), 'r3')
  const enrollment = event('enrollment', { success: false, request_id: 'r1', reason: 'claim-unusable' })
  assert.equal(describeEvent(enrollment, whoOf), 'Enrollment refused for bob@idp.example: claim-unusable')
})
