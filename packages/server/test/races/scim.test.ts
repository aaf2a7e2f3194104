import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId, revocableToken, secretDigest } from '@countersign/core'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createScimToken } from '../../src/operations/scim/scim-tokens.ts'
import { createScimUser, updateScimUser } from '../../src/operations/scim/scim-users.ts'
import { createSigner } from '../../src/operations/signer/create-signer.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { logInWithToken, SIGNERS } from '../http/provider.fixture.ts'
import { PROVISIONING } from '../http/provider-channels.fixture.ts'
import { patchBody, setUpScim } from '../http/scim.fixture.ts'
import { newSession } from '../operations/log-in-as.ts'
import { DATABASES, getPostgres, openTestStore, stopPostgres } from '../store/open-test-stores.ts'
import { race, raceTokenLogin } from './race.fixture.ts'

after(stopPostgres)

const NOW = 1_700_000_000_000
const system = { actorId: 'system', now: NOW }
const SOURCE = { signerId: 'signer', tokenId: 'token' }
const ROUNDS = 15
const LOGINS_AT_ONCE = 6

test('V-21 active false during a login or an enrollment leaves no session', async (t) => {
  const { app, signerId, scim, token } = await setUpScim(t, PROVISIONING)
  const sessions = () =>
    app.store.db.selectFrom('api_sessions').select('id').where('signer_id', '=', signerId).execute()
  const attempt = async (sub: string, operation: string, happen: () => Promise<unknown>) =>
    (await raceTokenLogin({ app }, token({ sub }), operation, happen)).status
  const id = await scim.addUser('alice')
  assert.equal(await attempt('alice', 'apiSession.create', async () => {}), 200)
  assert.equal(await attempt('alice', 'apiSession.create', () => scim.setActive(id, false)), 401)
  assert.deepEqual(await sessions(), [])
  assert.equal((await logInWithToken(app, token({ sub: 'alice' }))).status, 401)

  assert.equal(await attempt('bob', 'enrollment.byJwt', async () => {}), 200)
  const created = () => scim.addUser('carol', { active: false })
  assert.equal(await attempt('carol', 'enrollment.byJwt', created), 401)
  assert.equal((await logInWithToken(app, token({ sub: 'carol' }))).status, 401)
  const found = (await scim.send('GET', `/Users?filter=${encodeURIComponent('userName eq "bob"')}`)).Resources
  assert.equal((await scim.setActive(found[0].id, false)).json.active, false, 'the enrolled identity is a user')
  assert.deepEqual(await sessions(), [])
  assert.equal((await logInWithToken(app, token({ sub: 'bob' }))).status, 401)
})

test('V-21 a request whose token is deleted, or whose signer loses its trust, while it waits changes nothing', async (t) => {
  const { app, signerId, scim } = await setUpScim(t)
  const id = await scim.addUser('alice')
  const group = await scim.addGroup('g')
  const credentials = { headers: { authorization: `Bearer ${scim.token}` } }
  const base = `/scim/v2/${signerId}`
  const member = { op: 'add', path: 'members', value: [{ value: id }] }
  const disabling = patchBody({ op: 'replace', path: 'active', value: false })
  const requests = {
    'scim.createUser': { method: 'POST', path: `${base}/Users`, body: { userName: 'bob' } },
    'scim.updateUser': { method: 'PATCH', path: `${base}/Users/${id}`, body: disabling },
    'scim.createGroup': { method: 'POST', path: `${base}/Groups`, body: { displayName: 'h' } },
    'scim.updateGroup': { method: 'PATCH', path: `${base}/Groups/${group}`, body: patchBody(member) },
    'scim.deleteGroup': { method: 'DELETE', path: `${base}/Groups/${group}` },
    'scim.deleteUser': { method: 'DELETE', path: `${base}/Users/${id}` },
  }
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer.update', 'identity.create'] })
  const signer = `${SIGNERS}/${signerId}`
  let tokenId = (await app.admin('GET', `${signer}/scim-tokens`)).json.data[0].id
  const changes = [
    {
      by: () => app.admin('PATCH', signer, { enabled: false }),
      undo: () => app.admin('PATCH', signer, { enabled: true }),
    },
    {
      by: () => app.call('PATCH', signer, { clockSkewSeconds: 5 }, { session }),
      undo: () => app.admin('PATCH', signer, { clockSkewSeconds: 0 }),
    },
    {
      by: () => app.admin('DELETE', `${signer}/scim-tokens/${tokenId}`),
      undo: async () => {
        tokenId = newId()
        const args = { signerId, tokenId, tokenDigest: secretDigest(scim.token) }
        await app.store.run(createScimToken, args, { actorId: 'system', now: app.clock.now() })
      },
    },
  ]
  for (const [operation, request] of Object.entries(requests)) {
    for (const { by, undo } of changes) {
      const refused = await race({ app }, { credentials }, request, operation, async () => void (await by()))
      assert.ok(refused.hasWritten, operation)
      assert.ok([401, 403].includes(refused.reply.status), `${operation}: ${refused.reply.text}`)
      assert.equal(refused.hasChanged, false, operation)
      await undo()
    }
    const done = await race({ app }, { credentials }, request, operation, async () => {})
    assert.ok(done.reply.status < 300, `${operation}: ${done.reply.text}`)
    assert.equal(done.hasChanged, true, operation)
  }
})

async function prepare(store: Store): Promise<void> {
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, system)
  const signer = { name: 'idp', enabled: true, issuer: 'https://idp.example', audience: 'a' }
  const body = { ...signer, jwksEndpoint: 'https://idp.example/keys' }
  await store.run(createSigner, { id: SOURCE.signerId, body, certificate: undefined }, system)
  await store.run(createScimToken, { ...SOURCE, tokenDigest: 'x' }, system)
}

async function addUser(store: Store, userName: string): Promise<string> {
  const id = newId()
  const user = { userName, externalId: null, displayName: null, name: {}, emails: [] }
  await store.run(createScimUser, { ...SOURCE, id, user, active: true }, system)
  return id
}

function setActive(store: Store, id: string, value: boolean) {
  const update = { kind: 'patch', changes: [{ kind: 'active', value }] } as const
  return store.run(updateScimUser, { ...SOURCE, id, ifMatch: undefined, update }, system)
}

function logInBy(store: Store, identityId: string): Promise<unknown> {
  const token = {
    signerId: SOURCE.signerId,
    signerRevision: 1,
    sessionRevision: 1,
    externalId: null,
    expiresAt: NOW + 600_000,
    ruleClaims: null,
    ...{ subject: 'alice', providerSessionId: 'sid', acr: null, amr: null, authenticatedAt: null },
    ...revocableToken({ claims: { sub: 'alice', iat: NOW / 1000 }, identityClaim: identityId }),
  }
  const session = { ...newSession({ identityId, authenticatorId: `extJwtId:${SOURCE.signerId}`, now: NOW }), token }
  return store
    .run(createApiSession, { ...session, method: 'ext-jwt' }, { actorId: identityId, now: NOW })
    .catch(({ code }: { code?: unknown }) => code)
}

const countSessions = async (store: Store): Promise<number> =>
  (await store.db.selectFrom('api_sessions').select('id').execute()).length

async function raceLogins(here: Store, there: Store): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await addUser(here, `user ${round}`)
    const logins = Array.from({ length: LOGINS_AT_ONCE }, () => logInBy(here, id))
    await Promise.all([...logins, setActive(there, id, false)])
    assert.equal(await countSessions(here), 0, `round ${round}`)
    assert.notEqual(await logInBy(here, id), 'opened')
  }
  assert.equal(await logInBy(there, await addUser(here, 'another')), 'opened')
}

for (const database of DATABASES) {
  test(`V-21 of logins that run beside active false none has a session afterwards, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    await prepare(store)
    await raceLogins(store, store)
  })
}

test('V-21 of two nodes on PostgreSQL, one logs in while the other receives active false: no session is left', async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const open = () => openPostgresStore({ url, nodeId: newId(), now: NOW, onWarning: () => {} })
  const [here, there] = [await open(), await open()]
  t.after(() => Promise.all([here.close(), there.close()]))
  await prepare(here)
  await raceLogins(here, there)
})
