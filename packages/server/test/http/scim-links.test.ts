import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUpScim } from './scim.fixture.ts'

test('V-15 a linked identity without an external id gets it from the first request that describes the user', async (t) => {
  const { scim, identity, createIdentity, signerId, logIn } = await setUpScim(t)
  const link = (name: string) => createIdentity({ name, externalId: null, linkedSigners: [signerId] })
  const dave = await link('dave')
  await scim.setActive(dave, false)
  await scim.setActive(dave, true)
  assert.equal((await identity(dave)).externalId, null, 'active says nothing about its name')
  const put = () => scim.call('PUT', `/Users/${dave}`, { userName: 'dave', active: true })
  const first = await put()
  assert.equal(first.status, 200, first.text)
  assert.equal((await identity(dave)).externalId, 'dave')
  await logIn({ sub: 'dave' })
  assert.equal((await put()).headers.etag, first.headers.etag, 'nothing changed')
  const erin = await link('erin')
  assert.equal((await scim.patch(`/Users/${erin}`, { op: 'add', path: 'displayName', value: 'E' })).status, 200)
  assert.equal((await identity(erin)).externalId, 'erin')
  await logIn({ sub: 'erin' })
})

test('V-16 D63 a linked identity with rights, or whose external id is taken, gets none', async (t) => {
  const { scim, identity, createIdentity, signerId } = await setUpScim(t)
  const linked = { externalId: null, linkedSigners: [signerId] }
  const admin = await createIdentity({ ...linked, name: 'admin dave', isAdmin: true })
  for (const displayName of ['A', 'B']) {
    const reply = await scim.call('PUT', `/Users/${admin}`, { userName: 'admin dave', displayName })
    assert.deepEqual([reply.status, reply.json.displayName], [200, displayName])
  }
  assert.equal((await identity(admin)).externalId, null)
  const erin = await createIdentity({ ...linked, name: 'erin' })
  await createIdentity({ name: 'another', externalId: 'erin' })
  for (const active of [true, false]) {
    const reply = await scim.call('PUT', `/Users/${erin}`, { userName: 'erin', active })
    assert.deepEqual([reply.status, reply.json.active], [200, active])
  }
  assert.equal((await identity(erin)).externalId, null)
})
