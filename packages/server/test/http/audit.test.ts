import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type ExportedEntry, isSignedHead, verifyAudit } from '@countersign/core'
import type { CompiledQuery } from 'kysely'
import { recordDecisions } from '../../src/operations/auth-decision/record-decisions.ts'
import { recoverAdmin } from '../../src/operations/start/recover-admin.ts'
import { settingsFile } from '../oidc/oidc.fixture.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import { deliver, makeSink, SINKS, startReceiver, WEBHOOK_SECRET } from './event-sinks.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword, IDENTITIES, identityBody } from './identities.fixture.ts'
import { MFA, startTotp } from './one-time-codes.fixture.ts'
import { makePerson, mustRegister, newDevice, PASSKEYS } from './passkeys.fixture.ts'
import { AUDIENCE, logInWithToken, setUpProvider } from './provider.fixture.ts'
import { setUpScim } from './scim.fixture.ts'

const ENTRIES = '/edge/management/v1/audit-entries'
const LOGIN = '/edge/client/v1/authenticate'
const HEADS = '/edge/management/v1/audit-heads'

/** Heads before entries, as an export does: entries that are newer than their head are left to the next one. */
async function loadAudit(app: TestApp) {
  // Each node stores its decisions first.
  for (const _ of app.controllers) await app.admin('GET', `${ENTRIES}?limit=1`)
  const { data: heads, meta } = (await app.admin('GET', HEADS)).json
  const reply = await app.admin('GET', `${ENTRIES}?limit=500&sort=sequence`)
  assert.equal(reply.status, 200, reply.text)
  return { heads, keys: meta.keys, anchors: meta.anchors, entries: reply.json.data }
}

/** Writes to the database without an operation. */
async function writeDirectly(app: TestApp, query: CompiledQuery): Promise<void> {
  if (app.store.dialect === 'postgres') return void (await app.store.db.executeQuery(query))
  const raw = new DatabaseSync(join(app.dir, 'test.db'))
  raw.prepare(query.sql).run(...(query.parameters as string[]))
  raw.close()
}

const entriesOf = async (app: TestApp, filter: string) => {
  const reply = await app.admin(
    'GET',
    `${ENTRIES}?limit=500&sort=${encodeURIComponent('at, sequence')}&filter=${encodeURIComponent(filter)}`,
  )
  assert.equal(reply.status, 200, reply.text)
  return reply.json.data
}

test('Z-06 an entry has who, what, when, from where, and the object before and after', async (t) => {
  const app = await buildApp(t)
  const id = await createIdentity(app, { name: 'first' })
  const patched = await app.admin('PATCH', `${IDENTITIES}/${id}`, { name: 'second' })
  assert.equal((await app.admin('DELETE', `${IDENTITIES}/${id}`)).status, 200)
  const entries = await entriesOf(app, `objectId="${id}"`)
  assert.deepEqual(
    entries.map(({ action, change, objectKind, objectName, actorName, before, after }: ExportedEntry) => [
      ...[action, change, objectKind, objectName, actorName],
      ...[before, after].map((state) => (state as { name?: string } | null)?.name),
    ]),
    [
      ['identity.create', 'created', 'identity', 'first', 'admin', undefined, 'first'],
      ['identity.patch', 'updated', 'identity', 'second', 'admin', 'first', 'second'],
      ['identity.delete', 'deleted', 'identity', 'second', 'admin', 'second', undefined],
    ],
  )
  const [, change] = entries
  assert.equal(change.address, '127.0.0.1')
  assert.match(change.requestId, /^[\w-]+$/)
  assert.equal(patched.status, 200)
  assert.ok(Math.abs(Date.parse(change.at) - app.clock.now()) < 60_000)
  const [admin] = await entriesOf(app, `requestId="${change.requestId}"`)
  assert.equal(admin.id, change.id)
  assert.equal((await entriesOf(app, `actorId="${change.actorId}" and objectId="${id}"`)).length, 3)
  assert.equal((await entriesOf(app, `at > datetime(${new Date(app.clock.now() + 60_000).toISOString()})`)).length, 0)
})

test('Z-06 secrets are digests in the record, and change with the secret', async (t) => {
  const app = await buildApp(t)
  const id = await makeSink(app, { name: 'a', kind: 'webhook', url: 'https://siem.example/in', secret: WEBHOOK_SECRET })
  const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
  assert.equal((await app.admin('PATCH', `${SINKS}/${id}`, { secret: other })).status, 200)
  const { username, password } = await createPassword(app, await createIdentity(app))
  const [created, changed] = await entriesOf(app, `objectId="${id}"`)
  assert.match(created.after.secret, /^sha256:[0-9a-f]{64}$/)
  assert.equal(changed.before.secret, created.after.secret)
  assert.notEqual(changed.after.secret, created.after.secret)
  assert.equal(changed.after.previousSecret, created.after.secret)
  const authenticators = await entriesOf(app, 'objectKind="authenticator"')
  assert.ok(
    authenticators.some(({ after }: { after: { passwordDigest?: string } }) =>
      after.passwordDigest?.startsWith('sha256:'),
    ),
  )
  const text = JSON.stringify([created, changed, authenticators])
  const stored = await app.store.db.selectFrom('authenticators').select('password_digest').execute()
  for (const secret of [WEBHOOK_SECRET, other, password, ...stored.map((row) => row.password_digest ?? password)]) {
    assert.equal(text.includes(secret), false)
  }
  assert.ok(text.includes(username))
})

test('R-22 enrollments by a signer that is not trusted are limited, those by a trusted one are not', async (t) => {
  const set = await setUpProvider(t, {
    isAlone: 'controller',
    settings: { config: settingsFile(t, 'limits:\n  changeBurst: 3\n  changePerSecond: 1\n') },
  })
  const { app } = set
  const holder = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity'] })
  const signerId = await set.createSigner({ enrollToTokenEnabled: true, provisionOnLogin: true })
  const logIn = async (sub: string) => summarize(await logInWithToken(app, set.token({ sub })))
  for (const sub of ['a', 'b', 'c', 'd', 'e']) assert.equal(await logIn(sub), '200')
  const path = `/edge/management/v1/ext-jwt-signers/${signerId}`
  const written = await app.call('PATCH', path, { audience: AUDIENCE }, { session: holder.session })
  assert.equal(written.status, 200, written.text)
  for (const sub of ['f', 'g', 'h']) assert.equal(await logIn(sub), '200')
  assert.equal(await logIn('i'), TOO_MANY)
  assert.equal(await logIn('f'), '200')
  app.clock.advance(1_000)
  assert.equal(await logIn('i'), '200')
})

test('R-22 a person who alternates two tokens of the same second does not fill the record', async (t) => {
  const config = settingsFile(t, 'limits:\n  changeBurst: 3\n  changePerSecond: 1\n')
  const set = await setUpProvider(t, { isAlone: 'controller', settings: { config } })
  const { app } = set
  const enrolls = { enrollToTokenEnabled: true, provisionOnLogin: true }
  await set.createSigner({ ...enrolls, attributeSync: 'login', enrollAttributeClaimsSelector: '/groups' })
  const iat = Math.floor(app.clock.now() / 1000)
  const tokenOf = (sub: string, group: string) => set.token({ sub, iat, groups: [group] })
  const logInTen = async (tokens: readonly string[]) => {
    const replies: string[] = []
    for (let at = 0; at < 10; at++) replies.push(summarize(await logInWithToken(app, tokens[at % tokens.length] ?? '')))
    return replies
  }
  assert.deepEqual(await logInTen([tokenOf('alice', 'a')]), Array(10).fill('200'))
  const replies = await logInTen([tokenOf('bob', 'a'), tokenOf('bob', 'b')])
  assert.deepEqual(replies.slice(0, 3), ['200', '200', '200'])
  assert.ok(replies.includes(TOO_MANY), replies.join())
  assert.equal(summarize(await logInWithToken(app, tokenOf('alice', 'b'))), '200', 'another person')
})

test('R-22 large entries count as several changes', async (t) => {
  const config = settingsFile(t, 'limits:\n  changeBurst: 30\n  changePerSecond: 1\n')
  const app = await buildApp(t, { isAlone: 'controller', settings: { config } })
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const pad = 'x'.repeat(2_000)
  const cases = Array.from({ length: 50 }, (_, at) => ({
    name: `${at}`,
    claims: { pad },
    expect: { outcome: 'refused' },
  }))
  const signer = async (testCases: unknown[]) => {
    const endpoint = { audience: 'a', jwksEndpoint: 'https://keys.example/jwks', enabled: false }
    const body = {
      name: `signer ${testCases.length}`,
      issuer: `https://${testCases.length}.example`,
      ...endpoint,
      testCases,
    }
    const reply = await app.admin('POST', '/edge/management/v1/ext-jwt-signers', body)
    assert.equal(reply.status, 201, reply.text)
    return `/edge/management/v1/ext-jwt-signers/${reply.json.data.id}`
  }
  const [small, large] = [await signer(cases.slice(0, 1)), await signer(cases)]
  const patch = async (path: string, note: number) =>
    summarize(await app.call('PATCH', path, { tags: { note: `${note}` } }, { session }))
  for (let note = 0; note < 10; note++) assert.equal(await patch(small, note), '200')
  assert.equal(await patch(large, 0), '200')
  assert.equal(await patch(small, 10), TOO_MANY)
  app.clock.advance(60_000)
  const rounds = Array.from({ length: 60 }, (_, second) => second)
  const changed = async (path: string) => {
    const replies: string[] = []
    for (const second of rounds) {
      app.clock.advance(1_000)
      replies.push(await patch(path, second))
    }
    return replies.filter((reply) => reply === '200').length
  }
  assert.equal(await changed(small), rounds.length)
  const most = await changed(large)
  assert.ok(most >= 2 && most <= 5, `${most} of ${rounds.length}: each counts as more than twenty`)
  for (let note = 0; note < 3; note++) {
    assert.equal((await app.admin('PATCH', large, { tags: { note: `${note}` } })).status, 200, 'an administrator')
  }
})

test('R-22 sessions of an identity that a call ends have one entry, however many', async (t) => {
  const app = await buildApp(t)
  const { id, session } = await app.makeIdentity({ permissions: ['ops'] })
  const other = await createIdentity(app)
  const { username, password } = await createPassword(app, other)
  for (let times = 0; times < 3; times++) await app.logIn(username, password)
  const ended = await app.call('DELETE', `${IDENTITIES}/${other}/api-sessions`, undefined, { session })
  assert.equal(ended.status, 200, ended.text)
  const entries = await entriesOf(app, 'objectKind="api-session"')
  assert.equal(entries.length, 1)
  const [{ action, change, before, after, actorId }] = entries
  assert.deepEqual([action, change, after, actorId], ['apiSession.deleteAllOf', 'deleted', null, id])
  assert.deepEqual([before.identityId, before.sessions, before.ids.length], [other, 3, 3])
  const { keys, ...audit } = await loadAudit(app)
  assert.deepEqual(verifyAudit(audit, keys).findings, [])
})

test('Z-06 a session that an administrator ends has an entry, and one that its owner ends has none', async (t) => {
  const app = await buildApp(t)
  const OWN = '/edge/client/v1/current-api-session'
  const { id, session: first } = await app.makeIdentity()
  const own = (await app.call('GET', OWN, undefined, { session: first })).json.data
  assert.equal((await app.admin('DELETE', `/edge/management/v1/api-sessions/${own.id}`)).status, 200)
  const [entry, ...others] = await entriesOf(app, 'objectKind="api-session"')
  const { action, change, objectId, actorName, before, after } = entry
  assert.deepEqual([action, change, objectId, actorName], ['apiSession.delete', 'deleted', own.id, 'admin'])
  assert.deepEqual([before.identityId, after, others], [id, null, []])
  const { session } = await app.makeIdentity()
  assert.equal((await app.call('DELETE', OWN, undefined, { session })).status, 200)
  assert.equal((await entriesOf(app, 'objectKind="api-session"')).length, 1)
  const { keys, ...audit } = await loadAudit(app)
  assert.deepEqual(verifyAudit(audit, keys).findings, [])
})

test('Z-06 a refused login does not pass for the state of an identity before a change', async (t) => {
  const app = await buildApp(t)
  // Recovering the default administrator ends its sessions.
  const { session } = await app.makeIdentity({ isAdmin: true })
  const other: TestApp = { ...app, admin: (method, path, body) => app.call(method, path, body, { session }) }
  await app.call('POST', '/edge/management/v1/authenticate?method=password', { username: 'admin', password: 'wrong' })
  await loadAudit(other)
  const [refusal] = await entriesOf(other, 'action="login.refused"')
  // An operation that loads no state before its change.
  const meta = { actorId: 'system', now: app.clock.now() + 1 }
  await app.store.run(recoverAdmin, { passwordDigest: 'digest' }, meta)
  const changes = await entriesOf(other, `action="start.recoverAdmin" and objectId="${refusal.objectId}"`)
  assert.deepEqual(
    changes.map(({ before }: ExportedEntry) => (before as { isAdmin?: boolean } | null)?.isAdmin),
    [true],
  )
})

test('Z-05 the record of all nodes verifies, and a change in the database is found', async (t) => {
  const app = await buildApp(t)
  for (let identity = 0; identity < 6; identity++) await createIdentity(app)
  await app.call('POST', '/edge/management/v1/authenticate?method=password', { username: 'admin', password: 'wrong' })
  const { keys, ...audit } = await loadAudit(app)
  const verdict = verifyAudit(audit, keys)
  assert.deepEqual([verdict.findings, verdict.unsigned], [[], 0])
  assert.ok(audit.entries.length >= 7)
  const refusal = audit.entries.find(({ action }: ExportedEntry) => action === 'login.refused')
  assert.equal(refusal.after.reason, 'wrong-password')
  const { db } = app.store
  const { id, content } = await db
    .selectFrom('audit_entries')
    .select(['id', 'content'])
    .where('action', '=', 'identity.create')
    .limit(1)
    .executeTakeFirstOrThrow()
  // What an intruder with the database does.
  const forged = content.replace('identity.create', 'identity.forged')
  await writeDirectly(app, db.updateTable('audit_entries').set({ content: forged }).where('id', '=', id).compile())
  const found = verifyAudit(await loadAudit(app), keys).findings
  assert.deepEqual(
    found.map(({ problem }) => problem),
    ['changed'],
  )
})

test('Z-05 heads are signed, at most 15 seconds old, and exported to every sink', async (t) => {
  const receiver = await startReceiver(t)
  const app = await buildApp(t)
  await makeSink(app, { name: 'a', kind: 'webhook', url: receiver.url, filter: { types: ['signerHealth'] } })
  await createIdentity(app)
  for (const { auditRecord } of app.controllers) await auditRecord.sign()
  await deliver(app)
  const exported = receiver.received.map(({ json }) => json)
  assert.ok(exported.length > 0 && exported.every(({ namespace }) => namespace === 'auditHead'))
  const { data: heads, meta } = (await app.admin('GET', HEADS)).json
  for (const head of [...heads, ...exported]) assert.equal(isSignedHead(head, 'head', meta.keys), true)
  for (const { publicKey, signature, node, sequence, hash, at } of heads) {
    const [header, payload] = signature.split('.').map((part: string) => Buffer.from(part, 'base64url').toString())
    assert.deepEqual(JSON.parse(payload), { node, sequence, hash })
    assert.equal(JSON.parse(header).kid, publicKey.kid)
    assert.ok(app.clock.now() - Date.parse(at) <= 15_000)
  }
  app.clock.advance(20_000)
  const [fresh] = (await app.admin('GET', HEADS)).json.data
  assert.ok(app.clock.now() - Date.parse(fresh.at) <= 15_000)
})

test('Z-05 retention keeps the record checkable', async (t) => {
  const app = await buildApp(t)
  await createIdentity(app)
  await createIdentity(app)
  const before = await loadAudit(app)
  app.clock.advance(400 * 86_400_000)
  const session = await app.logIn('admin', ADMIN_PASSWORD)
  const admin: TestApp['admin'] = (method, path, body) => app.call(method, path, body, { session })
  assert.equal((await admin('POST', IDENTITIES, identityBody())).status, 201)
  await admin('GET', ENTRIES)
  await app.controller.auditRecord.prune(app.clock.now() - 365 * 86_400_000)
  const { keys, ...after } = await loadAudit({ ...app, admin })
  assert.ok(after.entries.length < before.entries.length)
  assert.ok(after.anchors.length > 0)
  assert.deepEqual(verifyAudit(after, keys).findings, [])
  assert.notDeepEqual(verifyAudit({ ...after, anchors: [] }, keys).findings, [])
})

test('Z-07 a flood of refusals is sampled, and the record says how many it left out', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  // The sample keeps 50 more each second, which a slow machine would never reach.
  const now = app.clock.now()
  t.mock.method(app.clock, 'now', () => now)
  const REFUSED = 400
  for (let sent = 0; sent < REFUSED; sent += 50) {
    const tries = Array.from({ length: 50 }, () => app.call('POST', `${LOGIN}?method=ext-jwt`))
    for (const { status } of await Promise.all(tries)) assert.equal(status, 401)
  }
  const kept = await entriesOf(app, 'action="login.refused"')
  const left = await entriesOf(app, 'action="refusals.dropped"')
  const dropped = left.reduce((sum: number, { after }: { after: { dropped: number } }) => sum + after.dropped, 0)
  assert.ok(kept.length < REFUSED && dropped > 0, `${kept.length} kept, ${dropped} left out`)
  assert.equal(kept.length + dropped, REFUSED)
  const { heads, anchors, keys, entries } = await loadAudit(app)
  assert.deepEqual(verifyAudit({ entries, heads, anchors }, keys).findings, [])
})

test('Z-07 who reads the record again and again during a flood adds a bounded number of notes to it', async (t) => {
  // Without a limit, refusals are not delayed either.
  const config = settingsFile(t, 'limits:\n  addressBurst: 0\n')
  const app = await buildApp(t, { isAlone: 'controller', settings: { config } })
  const { session } = await app.makeIdentity({ permissions: ['admin_readonly'] })
  const now = app.clock.now()
  t.mock.method(app.clock, 'now', () => now)
  const refuse = () => app.call('POST', `${LOGIN}?method=ext-jwt`)
  for (let sent = 0; sent < 400; sent += 50) await Promise.all(Array.from({ length: 50 }, refuse))
  const MORE = 80
  for (let time = 0; time < MORE; time++) {
    await refuse()
    assert.equal((await app.call('GET', `${ENTRIES}?limit=1`, undefined, { session })).status, 200)
  }
  const notes = (await entriesOf(app, 'action="refusals.dropped"')).length
  assert.ok(notes > 10 && notes <= 61, `${notes} notes`)
})

test('Z-06 a change of many identities at once has an entry with both states of each', async (t) => {
  const { app, scim } = await setUpScim(t)
  const ids: string[] = []
  for (let each = 0; each < 101; each++) ids.push(await scim.addUser(`user ${each}`))
  const [refused = ''] = ids
  const decision = { id: 'request', at: app.clock.now(), method: 'ext-jwt', reason: 'identity-disabled' }
  const about = {
    signer_id: null,
    signer_name: null,
    claimed_identity: null,
    identity_id: refused,
    identity_name: null,
  }
  const others = { remote_address: '192.0.2.1', organization_id: null, explanation: '{}' }
  const row = { ...decision, ...about, ...others }
  await app.store.run(recordDecisions, { decisions: [row] }, { actorId: 'system', now: app.clock.now() })
  app.clock.advance(1_000)
  await scim.addGroup('sales', ids)
  const entries = await entriesOf(app, 'objectKind="identity" and action="scim.createGroup"')
  assert.deepEqual(entries.map(({ objectId }: ExportedEntry) => objectId).toSorted(), ids.toSorted())
  for (const { change, objectName, before, after } of entries) {
    assert.deepEqual([change, before.name, after.name], ['updated', objectName, objectName])
    const given = (state: { suppliedAttributes: { attributes: string[] }[] }) =>
      state.suppliedAttributes.flatMap(({ attributes }) => attributes)
    assert.deepEqual([given(before), given(after)], [[], ['sales']])
  }
})

test('Z-06 entries of other organizations show their hashes only, and no filter finds them', async (t) => {
  const app = await buildApp(t)
  const { db } = app.store
  const created = { entity: 'networks', action: 'created' as const, id: 'secret-network' }
  const states = { initial: null, final: '{"name":"secret-name"}' }
  const change = { ...created, states, organizationId: 'other-organization', eventId: 'event' }
  const content = JSON.stringify({ operation: 'network.create', meta: { actorId: 'secret-actor' }, change })
  const record = { node: 'node', at: app.clock.now(), kind: 'change' as const, content }
  await writeDirectly(app, db.insertInto('pending_records').values(record).compile())
  const { keys, ...audit } = await loadAudit(app)
  const [entry] = audit.entries.filter(({ scope }: ExportedEntry) => scope === 'organization')
  assert.deepEqual(Object.keys(entry).toSorted(), [
    'at',
    'contentHash',
    'hash',
    'id',
    'node',
    'previousHash',
    'scope',
    'sequence',
  ])
  assert.deepEqual(verifyAudit(audit, keys).findings, [])
  for (const filter of ['objectId="secret-network"', 'actorId="secret-actor"', 'objectName contains "secret"']) {
    assert.deepEqual(await entriesOf(app, filter), [], filter)
  }
  assert.equal(await db.selectFrom('event_outbox').selectAll().executeTakeFirst(), undefined)
})

test('Z-06 administrators and admin_readonly read the record, others do not', async (t) => {
  const app = await buildApp(t)
  const reader = await app.makeIdentity({ permissions: ['admin_readonly'] })
  const other = await app.makeIdentity({ permissions: ['identity'] })
  for (const path of [ENTRIES, HEADS]) {
    assert.equal((await app.call('GET', path, undefined, { session: reader.session })).status, 200)
    assert.equal((await app.call('GET', path, undefined, { session: other.session })).status, 401)
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    assert.ok((await app.admin(method, ENTRIES, {})).status >= 400, 'no call of the API changes it')
  }
})

const TOO_MANY = '429 SERVER_TOO_MANY_REQUESTS'

test('R-22 an identity that renames its passkey without pause does not fill the record', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const person = await makePerson(app)
  const id = await mustRegister(app, person)
  const rename = async (session: string, passkeyId: string) =>
    summarize(await app.call('PATCH', `${PASSKEYS}/${passkeyId}`, { name: 'again' }, { session }))
  const results = []
  for (let times = 0; times < 150; times++) results.push(await rename(person.session, id))
  assert.equal(results.at(-1), TOO_MANY)
  const renamed = results.filter((result) => result === '200').length
  assert.ok(renamed >= 50 && renamed <= 100, String(renamed))
  assert.equal((await app.call('GET', PASSKEYS, undefined, { session: person.session })).status, 200)
  const other = await makePerson(app)
  assert.equal(await rename(other.session, await mustRegister(app, other)), '200')
  app.clock.advance(60_000)
  assert.equal(await rename(person.session, id), '200')
})

test('R-22 a thief of a session does not use up the changes by which its owner ends it', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const person = await makePerson(app)
  const passkeyId = await mustRegister(app, person)
  const stolen = await person.logIn()
  const [{ id: authenticatorId }] = (await app.admin('GET', `${IDENTITIES}/${person.id}/authenticators`)).json.data
  const tryOften = async (...[method, path, body]: Parameters<TestApp['call']>) => {
    for (let times = 0; times < 110; times++) await app.call(method, path, body, { session: stolen })
  }
  await tryOften('PATCH', `${PASSKEYS}/${passkeyId}`, { name: 'again' })
  await tryOften('DELETE', `${PASSKEYS}/unknown`)
  const owner = await person.logIn()
  const change = async (...[method, path, body]: Parameters<TestApp['call']>) =>
    summarize(await app.call(method, path, body, { session: owner }))
  assert.equal(await change('PATCH', `${PASSKEYS}/${passkeyId}`, { name: 'mine' }), TOO_MANY)
  assert.equal(await change('DELETE', `${PASSKEYS}/${passkeyId}`), '200')
  const own = `/edge/client/v1/current-identity/authenticators/${authenticatorId}`
  const { username, password: currentPassword } = person
  assert.equal(await change('PATCH', own, { username, currentPassword, password: 'another one' }), '200')
  assert.equal((await app.call('GET', PASSKEYS, undefined, { session: stolen })).status, 401)
})

test('R-22 a thief of a session who adds and removes passkeys does not use up the removals of its owner', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const person = await makePerson(app)
  const passkeyId = await mustRegister(app, person)
  app.clock.advance(60_000)
  const thief = { ...person, session: await person.logIn() }
  const remove = async (session: string, id: string) =>
    summarize(await app.call('DELETE', `${PASSKEYS}/${id}`, undefined, { session }))
  for (let times = 0; times < 100; times++) {
    const added = await mustRegister(app, { ...thief, device: newDevice() })
    assert.equal(await remove(thief.session, added), '200')
  }
  assert.equal(await remove(person.session, passkeyId), '200')
})

test('R-22 one-time codes that are set up and dropped change no identity', async (t) => {
  const app = await buildApp(t)
  const { id, session } = await app.makeIdentity()
  for (let times = 0; times < 3; times++) {
    assert.equal((await app.call('POST', MFA, undefined, { session })).status, 201)
    assert.equal((await app.call('DELETE', MFA, undefined, { session })).status, 200)
  }
  const entries: ExportedEntry[] = await entriesOf(app, `objectId="${id}"`)
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['identity.create'],
  )
})

test('R-22 an identity that verifies and removes one-time codes without pause does not fill the record', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const [{ id, session }, other] = [await app.makeIdentity(), await app.makeIdentity()]
  /** A recovery code removes the codes at once, and the next ones are verified in the same step. */
  const repeat = async (ownSession: string): Promise<string> => {
    const { recoveryCodes, code } = await startTotp(app, ownSession)
    const verified = await app.call('POST', `${MFA}/verify`, { code: code() }, { session: ownSession })
    const [recoveryCode = ''] = verified.status === 200 ? recoveryCodes : []
    const headers = { 'mfa-validation-code': recoveryCode }
    assert.equal((await app.call('DELETE', MFA, undefined, { session: ownSession, headers })).status, 200)
    return summarize(verified)
  }
  const results = []
  for (let times = 0; times < 110; times++) results.push(await repeat(session))
  assert.equal(results.at(-1), TOO_MANY)
  const verified = results.filter((result) => result === '200').length
  assert.ok(verified >= 50 && verified <= 100, String(verified))
  assert.equal((await entriesOf(app, `objectId="${id}"`)).length, 1 + 2 * verified)
  assert.equal(await repeat(other.session), '200')
  app.clock.advance(60_000)
  assert.equal(await repeat(session), '200')
})

test('R-22 changes by callers with a permission are limited, those of administrators are not', async (t) => {
  const app = await buildApp(t, {
    isAlone: 'controller',
    settings: { config: settingsFile(t, 'limits:\n  changeBurst: 3\n  changePerSecond: 1\n') },
  })
  const id = await createIdentity(app)
  const path = `${IDENTITIES}/${id}`
  const change = async (session: string) => summarize(await app.call('PATCH', path, { tags: { a: 'b' } }, { session }))
  const [holder, other] = [
    await app.makeIdentity({ permissions: ['identity'] }),
    await app.makeIdentity({ permissions: ['identity'] }),
  ]
  for (let times = 0; times < 3; times++) assert.equal(await change(holder.session), '200')
  assert.equal(await change(holder.session), TOO_MANY)
  assert.equal((await app.call('GET', path, undefined, { session: holder.session })).status, 200)
  assert.equal(await change(other.session), '200')
  for (let times = 0; times < 5; times++) assert.equal(await change(app.adminSession), '200')
  app.clock.advance(1_000)
  assert.equal(await change(holder.session), '200')
})
