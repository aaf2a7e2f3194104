import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createPolicy, POLICIES } from '../http/auth-policies.fixture.ts'
import { buildApp } from '../http/build-app.ts'
import { CAS, makeCa } from '../http/cas.fixture.ts'
import { CLIENT_SIGNERS, create, jwksBody, SIGNERS, summarize } from '../http/ext-jwt-signers.fixture.ts'

/** Returns which of the texts were parsed as JSON during `work`. */
async function findParsed(t: TestContext, texts: readonly string[], work: () => Promise<unknown>): Promise<boolean[]> {
  const parsed: string[] = []
  const { parse } = JSON
  t.mock.method(JSON, 'parse', (text: string, reviver?: Parameters<typeof parse>[1]) => {
    parsed.push(text)
    return parse(text, reviver)
  })
  await work()
  t.mock.restoreAll()
  return texts.map((text) => parsed.includes(text))
}

test('R-23 a check for lock-outs reads no signer that is not trusted, and only where trust of administrators is lost', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const permissions = ['external-jwt-signer', 'auth-policy', 'ca']
  const holder = await app.makeIdentity({ permissions, authPolicyId: await createPolicy(app) })
  const as = async (method: string, path: string, body?: unknown) =>
    app.call(method, path, body, { session: holder.session })
  const testCases = [{ name: 'a', claims: { text: 'x'.repeat(300) }, now: 1, expect: { outcome: 'refused' } }]
  const createUntrusted = async (body = jwksBody()): Promise<string> => (await as('POST', SIGNERS, body)).json.data.id
  const casesOf = async (id: string): Promise<string> => {
    const select = app.store.db.selectFrom('ext_jwt_signers').select('test_cases').where('id', '=', id)
    return (await select.executeTakeFirstOrThrow()).test_cases
  }
  const cases = [
    await casesOf(await create(app, jwksBody({ testCases }))),
    await casesOf(await createUntrusted(jwksBody({ testCases: [{ ...testCases[0], name: 'b' }] }))),
  ]
  assert.equal(summarize(await app.call('GET', CLIENT_SIGNERS)), '200', 'all signers are in memory')
  const [trusted, untrusted] = [await create(app), await createUntrusted()]
  const [policy, ca] = [await createPolicy(app), await makeCa(app, { session: holder.session })]
  const onlyTokens = { acceptRule: 'request.method != ""', primary: { updb: { allowed: false } } }
  const changed = await app.admin('PATCH', `${POLICIES}/default?confirmLockOut=true`, onlyTokens)
  assert.equal(summarize(changed), '200')
  const readBy = (...call: Parameters<typeof as>) =>
    findParsed(t, cases, async () => assert.equal(summarize(await as(...call)), '200'))
  assert.deepEqual(await readBy('DELETE', `${SIGNERS}/${untrusted}`), [false, false])
  assert.deepEqual(await readBy('PATCH', `${POLICIES}/${policy}`, { acceptRule: 'true' }), [false, false])
  assert.deepEqual(await readBy('PATCH', `${CAS}/${ca.id}`, { isAuthEnabled: false }), [false, false])
  assert.deepEqual(await readBy('DELETE', `${CAS}/${ca.id}`), [false, false])
  assert.deepEqual(await readBy('DELETE', `${SIGNERS}/${trusted}`), [true, false])
})
