import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createPolicy, POLICIES } from '../http/auth-policies.fixture.ts'
import { buildApp, type TestApp } from '../http/build-app.ts'
import { CAS, makeCa } from '../http/cas.fixture.ts'
import { CLIENT_SIGNERS, create, jwksBody, SIGNERS, summarize } from '../http/ext-jwt-signers.fixture.ts'

const AT_ONCE = 5

interface SlowChange {
  readonly what: string
  readonly method: string
  readonly body?: (path: string) => unknown
  readonly result?: string
  /** Makes an entity, and returns the path of the change. */
  makePath(app: TestApp): Promise<string>
}

const signerPath = async (app: TestApp) => `${SIGNERS}/${await create(app)}`
const policyPath = async (app: TestApp) => `${POLICIES}/${await createPolicy(app)}`
const caPath = async (app: TestApp) => `${CAS}/${(await makeCa(app)).id}`
const named = (path: string) => ({ name: path.slice(-30) })

const CHANGES: readonly SlowChange[] = [
  { what: 'deletions of signers', method: 'DELETE', makePath: signerPath },
  { what: 'changes of policies', method: 'PATCH', makePath: policyPath, body: named },
  { what: 'changes of third-party CAs', method: 'PATCH', makePath: caPath, body: named },
  { what: 'deletions of third-party CAs', method: 'DELETE', makePath: caPath },
  {
    what: 'confirmations of keys',
    method: 'POST',
    makePath: async (app) => `${await signerPath(app)}/confirm-keys`,
    result: '409 NO_PENDING_KEYS',
  },
  {
    what: 'pushes of keys',
    method: 'PUT',
    makePath: async (app) => `${await signerPath(app)}/pushed-keys`,
    body: () => ({ keys: [] }),
    result: '409 PUSHED_KEYS_NOT_TAKEN',
  },
]

/** Counts how many operations the store runs at the same time, at most. */
function watchStore(t: TestContext, { store }: TestApp): { most: number } {
  const seen = { most: 0 }
  let running = 0
  const { run } = store
  t.mock.method(store, 'run', async (...call: Parameters<typeof run>) => {
    if (call[2].credential === undefined) return run(...call)
    seen.most = Math.max(seen.most, ++running)
    return run(...call).finally(() => running--)
  })
  return seen
}

for (const { what, method, body, result = '200', makePath } of CHANGES) {
  test(`R-23 ${what} that a caller with few rights sends at once run one at a time`, async (t) => {
    const app = await buildApp(t, { isAlone: 'controller' })
    const holder = await app.makeIdentity({ permissions: ['external-jwt-signer', 'auth-policy', 'ca'] })
    const mostOf = async (session: string) => {
      const paths: string[] = []
      for (let made = 0; made < AT_ONCE; made++) paths.push(await makePath(app))
      const seen = watchStore(t, app)
      const headers = { 'if-match': '*' }
      const replies = await Promise.all(paths.map((path) => app.call(method, path, body?.(path), { session, headers })))
      t.mock.restoreAll()
      assert.deepEqual(new Set(replies.map(summarize)), new Set([result]))
      return seen.most
    }
    assert.equal(await mostOf(holder.session), 1)
    assert.ok((await mostOf(app.adminSession)) > 1, 'those of an administrator share a commit')
  })
}

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
