import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { accountIdentityId, newId, type RequiredPermission } from '@countersign/core'
import { endSession } from '../../src/operations/api-session/end-session.ts'
import { addIdentity, createIdentity } from '../../src/operations/identity/create-identity.ts'
import { disableIdentity, enableIdentity } from '../../src/operations/identity/disable-identity.ts'
import { patchIdentity } from '../../src/operations/identity/update-identity.ts'
import { OPERATIONS } from '../../src/operations/operations.ts'
import { createOrganization } from '../../src/operations/organization/create-organization.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { operation } from '../../src/store/operation.ts'
import type { OperationMeta } from '../../src/store/operation-meta.ts'
import type { Store } from '../../src/store/store.ts'
import { DATABASES, openTestStore, stopPostgres } from '../store/open-test-stores.ts'
import { logInAs } from './log-in-as.ts'

after(stopPostgres)

const NOW = 1_700_000_000_000
const HOUR_MS = 3_600_000
const UNAUTHORIZED = { code: 'UNAUTHORIZED' }
const system = { actorId: 'system', now: NOW }

/** A store with its first administrator and another identity that can update identities. */
async function setUp(store: Store) {
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, system)

  const make = async (name: string, members: object = {}) => {
    const id = newId()
    const body = { name, type: 'Default' as const, isAdmin: false, ...members }
    await store.run(createIdentity, { id, body }, system)
    return id
  }
  return {
    admin: await logInAs(store, admin.identityId, NOW),
    actor: await logInAs(store, await make('actor', { permissions: ['identity.update'] }), NOW),
    target: await make('target'),
  }
}

test('every operation has a unique name and declares its access', () => {
  const names = OPERATIONS.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.length > 60, String(names.length))
  for (const { name, access } of OPERATIONS) assert.ok(access, name)
})

for (const database of DATABASES) {
  describe(`an operation on ${database}`, () => {
    test('N-01 runs for an actor that holds the permission now, and not after it was revoked', async (t) => {
      const store = await openTestStore(t, database)
      const { admin, actor, target } = await setUp(store)
      await store.run(patchIdentity, { id: target, body: { name: 'renamed' } }, actor)
      await store.run(patchIdentity, { id: actor.actorId, body: { permissions: [] } }, admin)
      await assert.rejects(store.run(patchIdentity, { id: target, body: { name: 'again' } }, actor), UNAUTHORIZED)
    })

    test('N-01 runs for no actor that is disabled, deleted or unknown; enabled again and with a new session it runs', async (t) => {
      const store = await openTestStore(t, database)
      const { admin, actor, target } = await setUp(store)
      const rename = () => store.run(patchIdentity, { id: target, body: { name: newId() } }, actor)
      await store.run(disableIdentity, { id: actor.actorId, durationMinutes: 0 }, admin)
      await assert.rejects(rename(), UNAUTHORIZED)
      await store.run(enableIdentity, { id: actor.actorId }, admin)
      await assert.rejects(rename(), UNAUTHORIZED, 'its session has ended')
      const again = await logInAs(store, actor.actorId, NOW)
      await store.run(patchIdentity, { id: target, body: { name: newId() } }, again)
      const unknown = { ...actor, actorId: newId() }
      await assert.rejects(store.run(patchIdentity, { id: target, body: {} }, unknown), UNAUTHORIZED)
    })

    test('N-01 runs with a live session of its actor, and with no other and none', async (t) => {
      const store = await openTestStore(t, database)
      const { admin, actor, target } = await setUp(store)
      const rename = (meta: OperationMeta) => store.run(patchIdentity, { id: target, body: { name: newId() } }, meta)
      const { credential, ...withoutSession } = actor
      await rename(actor)
      await assert.rejects(rename(withoutSession), UNAUTHORIZED)
      await assert.rejects(rename({ ...actor, credential: admin.credential }), UNAUTHORIZED)
      await assert.rejects(rename({ ...admin, credential }), UNAUTHORIZED)
      await assert.rejects(rename({ ...actor, now: NOW + HOUR_MS }), UNAUTHORIZED)
      await store.run(endSession, { id: credential.sessionId }, admin)
      await assert.rejects(rename(actor), UNAUTHORIZED)
    })

    test('grants no rights that its actor lacks: only an administrator makes another one', async (t) => {
      const store = await openTestStore(t, database)
      const { admin, actor, target } = await setUp(store)
      const promote = { id: target, body: { isAdmin: true } }
      await assert.rejects(store.run(patchIdentity, promote, actor), UNAUTHORIZED)
      await store.run(patchIdentity, promote, admin)
      await assert.rejects(store.run(patchIdentity, { id: target, body: { name: 'x' } }, actor), UNAUTHORIZED)
    })

    test('of the hosted API runs for administrators, and not for an unknown account', async (t) => {
      const store = await openTestStore(t, database)
      const { admin, actor } = await setUp(store)
      const organization = () => {
        const id = newId()
        return { id, networkGroupId: newId(), body: { name: id, label: id.slice(0, 20) } }
      }
      await store.run(createOrganization, organization(), admin)
      await assert.rejects(store.run(createOrganization, organization(), actor), UNAUTHORIZED)
      const credential = { issuer: 'https://idp.example', clientId: 'machine', providerRevision: 1 }
      const account = { actorId: accountIdentityId(newId()), credential, now: NOW }
      await assert.rejects(store.run(createOrganization, organization(), account), UNAUTHORIZED)
    })
  })
}

test('an operation that is missing in the writer thread’s table is an internal error, and changes nothing', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const access: RequiredPermission = { entity: 'admin', action: 'change' }
  const stray = operation({ name: 'stray.operation', access, run: async (tx) => addIdentity(tx, 'x', {} as never) })
  await assert.rejects(store.run(stray, {}, system), /stray.operation is not in the table/)
})
