import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '@countersign/core'
import { createProvider } from '../../src/operations/identity-provider/create-provider.ts'
import { patchProvider } from '../../src/operations/identity-provider/update-provider.ts'
import { createOrganization } from '../../src/operations/organization/create-organization.ts'
import { buildApp, type TestApp } from '../http/build-app.ts'
import { createIdentity, createPassword } from '../http/identities.fixture.ts'
import { eventLines } from './read-events.ts'

const SIGNERS = '/edge/management/v1/ext-jwt-signers'
const POLICIES = '/edge/management/v1/auth-policies'
const IDENTITIES = '/edge/management/v1/identities'
const AUTHENTICATORS = '/edge/management/v1/authenticators'

const PROVIDER = {
  kind: 'oidc',
  issuer: 'https://pool.example',
  discoveryUrl: null,
  jwksUri: 'https://pool.example/jwks',
  tokenUrl: null,
  audience: 'https://api.example',
  clientIdClaim: null,
  requiredScope: null,
  administration: null,
  enabled: true,
} as const

const SIGNER = {
  name: 'idp',
  enabled: true,
  issuer: 'https://idp.example',
  audience: 'overlay',
  jwksEndpoint: 'https://idp.example/jwks',
}

async function createSigner(app: TestApp, members: Record<string, unknown> = {}): Promise<string> {
  const reply = await app.admin('POST', SIGNERS, { ...SIGNER, ...members })
  assert.equal(reply.status, 201, reply.text)
  return reply.json.data.id
}

const changesOf = (app: TestApp, id: string) =>
  app.events('entityChange').filter(({ initialState, finalState }) => (finalState ?? initialState)?.id === id)

const entriesOf = (app: TestApp, id: string) =>
  app.store.db.selectFrom('change_log').selectAll().where('entity_id', '=', id).orderBy('seq').execute()

describe('change events', () => {
  test('N-04 a change of the identity claim is published with its author and both states', async (t) => {
    const app = await buildApp(t)
    const id = await createSigner(app, { claimsProperty: '/email', useExternalId: true })
    await app.admin('PATCH', `${SIGNERS}/${id}`, { claimsProperty: '/sub', useExternalId: false })
    await app.admin('DELETE', `${SIGNERS}/${id}`)
    const [created, updated, deleted, ...others] = changesOf(app, id)
    assert.deepEqual(others, [])
    const { event_src_id: node, timestamp, eventId, metadata, initialState, finalState, ...rest } = updated
    assert.deepEqual(rest, {
      namespace: 'entityChange',
      eventType: 'updated',
      entityType: 'externalJwtSigners',
      isParentEvent: false,
    })
    assert.ok(app.nodeIds.includes(node) && Date.parse(timestamp) > 0 && eventId !== created.eventId)
    const admin = (await app.admin('GET', '/edge/management/v1/current-identity')).json.data
    assert.deepEqual(metadata.author, { type: 'identity', id: admin.id, name: admin.name })
    const { localAddr: _, ...source } = metadata.source
    assert.deepEqual(source, { type: 'rest', auth: 'edge', method: 'PATCH', remoteAddr: '127.0.0.1' })
    const claim = (state: Record<string, unknown>) => [state.identityIdClaimsSelector, state.useExternalId]
    assert.deepEqual(
      [claim(initialState), claim(finalState)],
      [
        ['/email', true],
        ['/sub', false],
      ],
    )
    assert.deepEqual([created.eventType, created.initialState, created.finalState.name], ['created', null, 'idp'])
    assert.deepEqual([deleted.eventType, deleted.finalState], ['deleted', null])
    assert.deepEqual(deleted.initialState, finalState)
  })

  test('R-15 the change log records who, what and hashes of before and after, for signers, policies, identities and authenticators', async (t) => {
    const app = await buildApp(t)
    const admin = (await app.admin('GET', '/edge/management/v1/current-identity')).json.data
    const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
    const policyId = (await app.admin('POST', POLICIES, { ...policy, name: 'second' })).json.data.id
    const identityId = await createIdentity(app)
    const { password } = await createPassword(app, identityId)
    const [authenticator] = (await app.admin('GET', `${IDENTITIES}/${identityId}/authenticators`)).json.data
    const signerId = await createSigner(app)
    const entities = [
      { path: `${SIGNERS}/${signerId}`, change: { name: 'renamed' } },
      { path: `${POLICIES}/${policyId}`, change: { name: 'renamed' }, action: 'relabelled' },
      { path: `${AUTHENTICATORS}/${authenticator.id}`, change: { password: `${password}-changed` } },
      { path: `${IDENTITIES}/${identityId}`, change: { attributes: ['other'] } },
    ]
    for (const { path, change, action = 'updated' } of entities) {
      const id = path.split('/').at(-1) ?? ''
      assert.equal((await app.admin('PATCH', path, change)).status, 200, path)
      assert.equal((await app.admin('DELETE', path)).status, 200, path)
      const [created, updated, deleted] = await entriesOf(app, id)
      assert.ok(created && updated && deleted)
      assert.deepEqual([updated.action, updated.actor_id, updated.source_address], [action, admin.id, '127.0.0.1'])
      assert.equal(created.before_hash, null)
      assert.match(created.after_hash ?? '', /^[0-9a-f]{64}$/)
      assert.equal(updated.before_hash, created.after_hash, `${path}: consecutive entries have matching hashes`)
      assert.notEqual(updated.after_hash, updated.before_hash, path)
      assert.deepEqual([deleted.before_hash, deleted.after_hash], [updated.after_hash, null])
    }
  })

  test('R-15 the providers of the hosted API are recorded too, without sealed values', async (t) => {
    const app = await buildApp(t)
    const meta = { actorId: 'system', now: app.clock.now() }
    const [organizationId, id] = [newId(), newId()]
    const organization = { id: organizationId, networkGroupId: newId(), body: { name: 'Acme', label: 'ACME' } }
    await app.store.run(createOrganization, organization, meta)
    const provider = { ...PROVIDER, name: 'pool' }
    const sealed = 'sealed-value'
    const args = { organizationId, id, provider, secret: { member: 'registrationToken', sealed } as const }
    await app.store.run(createProvider, args, meta)
    const patch = { issuer: 'https://other.example' }
    await app.store.run(patchProvider, { organizationId, id, patch }, meta)
    const [created, updated] = await entriesOf(app, id)
    assert.ok(created?.after_hash && updated?.after_hash)
    assert.equal(updated.before_hash, created.after_hash)
    assert.notEqual(updated.after_hash, created.after_hash)
    const [, event] = changesOf(app, id)
    assert.deepEqual([event.initialState.issuer, event.finalState.issuer], [PROVIDER.issuer, patch.issuer])
    assert.equal(event.finalState.organizationId, organizationId)
    assert.ok(!eventLines(app.published).join().includes(sealed))
  })

  test('R-15 entries are never edited, and a call without effect adds none', async (t) => {
    const app = await buildApp(t)
    const id = await createSigner(app)
    const entries = await app.store.db.selectFrom('change_log').selectAll().orderBy('seq').execute()
    await app.admin('PATCH', `${SIGNERS}/${id}`, {})
    assert.equal((await app.admin('PATCH', `${SIGNERS}/${id}`, { issuer: '' })).status, 400)
    assert.equal((await entriesOf(app, id)).length, 1)
    await app.admin('PATCH', `${SIGNERS}/${id}`, { enabled: false })
    await app.admin('DELETE', `${SIGNERS}/${id}`)
    const later = await app.store.db.selectFrom('change_log').selectAll().orderBy('seq').execute()
    assert.deepEqual(later.slice(0, entries.length), entries)
    assert.equal((await entriesOf(app, id)).length, 3)
  })

  test('session events are published at the start and the end, without the token', async (t) => {
    const app = await buildApp(t)
    const { id: identityId, session } = await app.makeIdentity()
    const { id } = (await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })).json.data
    await app.call('DELETE', '/edge/client/v1/current-api-session', undefined, { session })
    const [created, deleted, ...others] = app.events('apiSession').filter((event) => event.id === id)
    assert.deepEqual(others, [])
    const { timestamp: _, event_src_id: node, ...rest } = created
    assert.deepEqual(rest, {
      namespace: 'apiSession',
      event_type: 'created',
      id,
      type: 'legacy',
      identity_id: identityId,
      ip_address: '127.0.0.1',
      cert_generated: false,
    })
    assert.ok(app.nodeIds.includes(node))
    assert.deepEqual([deleted.event_type, deleted.identity_id], ['deleted', identityId])
    assert.ok(!eventLines(app.published).join().includes(session))
  })

  test('the end of sessions with their identity or authenticator is published too', async (t) => {
    const app = await buildApp(t)
    const endings = {
      deleted: (id: string) => app.admin('DELETE', `${IDENTITIES}/${id}`),
      disabled: (id: string) => app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 }),
      'without its authenticator': async (id: string) => {
        const [authenticator] = (await app.admin('GET', `${IDENTITIES}/${id}/authenticators`)).json.data
        return app.admin('DELETE', `${AUTHENTICATORS}/${authenticator.id}`)
      },
    }
    for (const [how, end] of Object.entries(endings)) {
      const { id } = await app.makeIdentity()
      assert.equal((await end(id)).status, 200, how)
      const published = app.events('apiSession').filter((event) => event.identity_id === id)
      assert.deepEqual(
        published.map((event) => event.event_type),
        ['created', 'deleted'],
        how,
      )
    }
  })

  test('R-11 entity changes contain no password and no digest of one', async (t) => {
    const app = await buildApp(t)
    const identityId = await createIdentity(app)
    const { password } = await createPassword(app, identityId)
    const [authenticator] = (await app.admin('GET', `${IDENTITIES}/${identityId}/authenticators`)).json.data
    await app.admin('PATCH', `${AUTHENTICATORS}/${authenticator.id}`, { password: `${password}-changed` })
    assert.equal(changesOf(app, authenticator.id).length, 2)
    const published = eventLines(app.published).join('\n')
    const digests = await app.store.db.selectFrom('authenticators').select('password_digest').execute()
    assert.equal(digests.length, 2)
    for (const { password_digest: digest } of digests) assert.ok(digest && !published.includes(digest))
    assert.ok(!published.includes(password) && !published.includes('scrypt'))
  })
})
