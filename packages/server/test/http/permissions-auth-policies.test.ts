import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createPolicy, POLICIES, policyBody, policyOf } from './auth-policies.fixture.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import { create, detailOf, jwksBody, SIGNERS, summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import { createIdentity, IDENTITIES } from './identities.fixture.ts'

const REFUSED = '401 UNAUTHORIZED'
const CHANGES: readonly Record<string, unknown>[] = [
  { primary: { cert: { allowExpiredCerts: true } } },
  { primary: { updb: { minPasswordLength: 6 } } },
  { secondary: { requireTotp: true } },
]

testWithApp('D28 D35 login rules of a policy change only with power over its identities', async (t, app) => {
  const holder = await app.makeIdentity({ permissions: ['auth-policy', 'identity.read'] })
  const as = (method: string, path: string, body: unknown) => app.call(method, path, body, { session: holder.session })
  const patch = async (id: string, body: unknown) => summarize(await as('PATCH', `${POLICIES}/${id}`, body))
  const put = async (id: string, body: object) =>
    summarize(await as('PUT', `${POLICIES}/${id}`, { ...(await policyOf(app, id)), ...body }))

  const refuses = async (id: string) => {
    const before = await policyOf(app, id)
    for (const change of CHANGES) assert.equal(await patch(id, change), REFUSED, JSON.stringify(change))
    assert.equal(await put(id, { secondary: { ...before.secondary, requireTotp: true } }), REFUSED)
    assert.deepEqual(await policyOf(app, id), before)
  }
  const accepts = async (id: string) => {
    for (const change of CHANGES) assert.equal(await patch(id, change), '200', JSON.stringify(change))
  }

  await t.test('the default policy, which the administrator has', async () => {
    await refuses('default')
    assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/default`, CHANGES[0])), '200')
  })

  await t.test('a policy of an administrator, until no administrator has it', async () => {
    const authPolicyId = await createPolicy(app)
    const admin = await createIdentity(app, { isAdmin: true, authPolicyId })
    await createIdentity(app, { authPolicyId })
    await refuses(authPolicyId)
    assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${admin}`, { authPolicyId: 'default' })), '200')
    await accepts(authPolicyId)
  })

  await t.test('a disabled administrator counts', async () => {
    const authPolicyId = await createPolicy(app)
    const admin = await createIdentity(app, { isAdmin: true, authPolicyId })
    await app.admin('POST', `${IDENTITIES}/${admin}/disable`, { durationMinutes: 0 })
    await refuses(authPolicyId)
  })

  await t.test('a policy of an identity with a permission that the caller lacks', async () => {
    const lacked = await createPolicy(app)
    await createIdentity(app, { permissions: ['identity.update'], authPolicyId: lacked })
    await refuses(lacked)
    const held = await createPolicy(app)
    await createIdentity(app, { permissions: ['identity.read'], authPolicyId: held })
    await accepts(held)
  })

  await t.test('name and tags are open to every holder, by PUT of what was read as well', async () => {
    const signer = await create(app)
    const spare = await create(app)
    const authPolicyId = await createPolicy(app, { extJwt: { allowedSigners: [signer, spare] } })
    await createIdentity(app, { isAdmin: true, authPolicyId })
    assert.equal(await patch(authPolicyId, { tags: { a: 'b' } }), '200')
    assert.equal(await put(authPolicyId, { name: 'another name' }), '200')
    const { primary } = await policyOf(app, authPolicyId)
    const reversed = { ...primary, extJwt: { ...primary.extJwt, allowedSigners: [spare, signer] } }
    assert.equal(await put(authPolicyId, { primary: reversed }), '200')
    assert.equal(
      await put(authPolicyId, { primary: { ...primary, extJwt: { allowed: true, allowedSigners: [] } } }),
      REFUSED,
    )
  })
})

testWithApp('D48 only an administrator enables a signer that logs in administrators', async (_t, app) => {
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const as = async (method: string, id: string, body: unknown) =>
    summarize(await app.call(method, `${SIGNERS}/${id}`, body, { session }))
  const trusted = await create(app, jwksBody({ enabled: false }))
  assert.equal(await as('PATCH', trusted, { enabled: true }), REFUSED)
  assert.equal(await as('PUT', trusted, { ...(await detailOf(app, trusted)), enabled: true }), REFUSED)
  assert.equal((await detailOf(app, trusted)).enabled, false)
  assert.equal(summarize(await app.admin('PATCH', `${SIGNERS}/${trusted}`, { enabled: true })), '200')

  const own = (await app.call('POST', SIGNERS, jwksBody({ enabled: false }), { session })).json.data.id
  assert.equal(await as('PATCH', own, { enabled: true }), '200')
})

testWithApp(
  'D35 refused changes of a policy, many at once, do not delay logins until all are refused',
  async (_, app) => {
    const MANY = 300
    const { session } = await app.makeIdentity({ permissions: ['auth-policy'] })
    let refused = 0
    const flood = Array.from({ length: MANY }, async () => {
      const { status } = await app.call('PATCH', `${POLICIES}/default`, CHANGES[0], { session })
      assert.equal(status, 401)
      refused += 1
    })
    await app.logIn('admin', ADMIN_PASSWORD)
    const before = refused
    await Promise.all(flood)
    assert.ok(before < MANY / 2, `${before} of ${MANY} were refused before the login`)
  },
)

/** Adds policies like the default one to the database, much faster than by requests. */
async function copyPolicies(app: TestApp, count: number): Promise<void> {
  const [row = {}] = await app.store.db.selectFrom('auth_policies').selectAll().limit(1).execute()
  const names = Object.keys(row)
  const copied = names.map((name) => (name === 'id' || name === 'name' ? `'copy ' || number` : name)).join()
  const text = `insert into auth_policies (${names}) with recursive numbers (number) as
    (select 1 union all select number + 1 from numbers where number < ${count})
    select ${copied} from auth_policies, numbers where id = 'default'`
  if (app.store.dialect === 'postgres') return void (await sql.raw(text).execute(app.store.db))
  const raw = new DatabaseSync(join(app.dir, 'test.db'))
  raw.exec(text)
  raw.close()
}

test('R-23 callers without administrator rights add policies up to a thousand', async (t) => {
  const app = await buildApp(t)
  const { session } = await app.makeIdentity({ permissions: ['auth-policy'] })
  const existing = await app.admin('GET', `${POLICIES}?limit=1`)
  await copyPolicies(app, 999 - existing.json.meta.pagination.totalCount)
  const add = async (caller: string) => app.call('POST', POLICIES, policyBody(), { session: caller })
  const last = await add(session)
  assert.equal(last.status, 201, last.text)
  assert.equal(summarize(await add(session)), '400 COULD_NOT_VALIDATE')
  assert.equal(summarize(await add(app.adminSession)), '201')
  for (const id of [last.json.data.id, 'copy 1']) {
    assert.equal((await app.admin('DELETE', `${POLICIES}/${encodeURIComponent(id)}`)).status, 200)
  }
  assert.equal(summarize(await add(session)), '201')
})

test('R-23 callers without administrator rights write rules of policies of a bounded length together', async (t) => {
  const app = await buildApp(t)
  const { session } = await app.makeIdentity({ permissions: ['auth-policy'] })
  const withRule = (at: number) => ({ ...policyBody(), acceptRule: `claims.a == "${at} ${'x'.repeat(4_000)}"` })
  const add = (caller: string, body: object) => app.call('POST', POLICIES, body, { session: caller })
  for (let at = 0; at < 65; at++) {
    const reply = await add(session, withRule(at))
    assert.equal(reply.status, 201, reply.text)
  }
  assert.equal(summarize(await add(session, withRule(65))), '400 COULD_NOT_VALIDATE')
  const last = await add(session, policyBody())
  assert.equal(last.status, 201, last.text)
  const patch = async (caller: string) => {
    const { acceptRule } = withRule(66)
    return summarize(await app.call('PATCH', `${POLICIES}/${last.json.data.id}`, { acceptRule }, { session: caller }))
  }
  assert.equal(await patch(session), '400 COULD_NOT_VALIDATE')
  assert.equal(await patch(app.adminSession), '200')
  assert.equal(summarize(await add(app.adminSession, withRule(67))), '201')
})
