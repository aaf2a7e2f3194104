import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_RULE_COST } from '@countersign/core'
import { sql } from 'kysely'
import { ALL_RULES, policyRuleInTurn } from '../../src/token/rule-turns.ts'
import { setUpHosted } from '../hosted/hosted.fixture.ts'
import { SIGNERS } from '../http/provider.fixture.ts'
import { setUpScim } from '../http/scim.fixture.ts'
import { startTarget, type Target } from './target.ts'

const IDENTITIES = '/edge/management/v1/identities'
const POLICIES = '/edge/management/v1/auth-policies'
const RULE = 'request.method != "TRACE"'
const AUTHORIZED_FOR_MS = 250
const LATE_MS = AUTHORIZED_FOR_MS + 150

type Loss = (target: Target, id: string) => Promise<unknown>
const NOTHING: Loss = async () => {}
const DISABLED: Loss = ({ app }, id) => app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })
const PERMISSION: Loss = ({ app }, id) => app.admin('PATCH', `${IDENTITIES}/${id}`, { permissions: ['auth-policy'] })
const SOME_PERMISSION: Loss = ({ app }, id) =>
  app.admin('PATCH', `${IDENTITIES}/${id}`, { permissions: ['identity.read'] })

async function setUp(t: TestContext) {
  const target = await startTarget(t)
  const caller = await target.app.makeIdentity({ permissions: ['identity', 'auth-policy'] })
  return { target, ...caller }
}

const LOSSES: readonly (readonly [string, Loss, number])[] = [
  ['nothing', NOTHING, 200],
  ['the identity', DISABLED, 401],
  ['the permission', PERMISSION, 401],
]

for (const [lost, lose, status] of LOSSES) {
  test(`N-01 a caller who loses ${lost} before the body of a read arrives gets ${status}`, async (t) => {
    const { target, id, session } = await setUp(t)
    const connection = await target.open()
    connection.send(
      `GET ${IDENTITIES} HTTP/1.1\r\nHost: localhost\r\nzt-session: ${session}\r\nContent-Length: 1\r\n\r\n`,
    )
    await sleep(LATE_MS)
    await lose(target, id)
    connection.send('x')
    assert.equal((await connection.readResponse()).status, status)
    connection.close()
  })
}

/** A long read whose time grows with the number of rows. */
const counting = (rows: number) =>
  sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < cast(${rows} as integer)) select count(*) from n`
const SAMPLE_ROWS = 200_000
/** Twice what is needed, and far below the time for which a read may wait. */
const HELD_MS = 800

/** Takes the caller's turn at the long reads for about `HELD_MS`, whatever the load of the machine. */
async function holdTurn(
  { app: { store } }: Pick<Target, 'app'>,
  caller: string,
): Promise<{ readonly ended: Promise<unknown> }> {
  const read = (rows: number) => store.readLong(caller, counting(rows).compile(store.db))
  // Starts the thread, which takes longer than the sample.
  await read(1)
  const from = performance.now()
  await read(SAMPLE_ROWS)
  return { ended: read(Math.ceil((SAMPLE_ROWS * HELD_MS) / (performance.now() - from))) }
}

for (const [lost, lose, status] of [...LOSSES, ['one of several permissions', SOME_PERMISSION, 401] as const]) {
  test(`N-01 a caller who loses ${lost} while a read waits for its turn gets ${status}`, async (t) => {
    const { target, id, session } = await setUp(t)
    const { app } = target
    const ahead = await holdTurn(target, id)
    const from = performance.now()
    const listed = app.call('GET', `${IDENTITIES}?filter=${encodeURIComponent('name contains "a"')}`, undefined, {
      session,
    })
    // The caller is authorized, and waits.
    await sleep(50)
    await lose(target, id)
    await ahead.ended
    assert.ok(performance.now() - from > AUTHORIZED_FOR_MS, 'the list had to wait')
    const response = await listed
    assert.equal(response.status, status, response.text)
  })
}

/** Gives an identity a policy with a rule. Returns its id. */
async function giveRule({ app }: Target, id: string): Promise<string> {
  const { primary, secondary } = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const policy = { name: 'with a rule', primary, secondary, acceptRule: RULE }
  const policyId: string = (await app.admin('POST', POLICIES, policy)).json.data.id
  assert.equal((await app.admin('PATCH', `${IDENTITIES}/${id}`, { authPolicyId: policyId })).status, 200)
  return policyId
}

/** Makes the rules of a policy wait until it is released. */
function holdRules(policyId: string): () => void {
  const held = Promise.withResolvers<void>()
  const policy = { id: policyId, acceptRule: RULE }
  void policyRuleInTurn(policy, 'expensive', () => ALL_RULES.spend(MAX_RULE_COST))
  void policyRuleInTurn(policy, 'holder', () => held.promise)
  return held.resolve
}

for (const [lost, lose, status] of LOSSES) {
  test(`N-01 a caller who loses ${lost} while the last check of a read waits for a rule gets ${status}`, async (t) => {
    const { target, id, session } = await setUp(t)
    const { app } = target
    const policyId = await giveRule(target, id)
    const ahead = await holdTurn(target, id)
    const from = performance.now()
    const filter = encodeURIComponent('name contains "a"')
    const listed = app.call('GET', `${IDENTITIES}?filter=${filter}`, undefined, { session })
    // The caller is authorized, and waits.
    await sleep(50)
    const release = holdRules(policyId)
    await ahead.ended
    assert.ok(performance.now() - from > AUTHORIZED_FOR_MS, 'the list had to wait')
    // The caller is authenticated again, and its rule waits.
    await sleep(50)
    await lose(target, id)
    release()
    const response = await listed
    assert.equal(response.status, status, response.text)
  })
}

for (const [lost, lose, status] of LOSSES.slice(0, 2)) {
  test(`F-14 N-01 an operator who loses ${lost} while a rule waits for its turn gets ${status}`, async (t) => {
    const target = await startTarget(t)
    const { app } = target
    const { id, session } = await app.makeIdentity({ isAdmin: true })
    const release = holdRules(await giveRule(target, id))
    const listed = app.call('GET', '/core/v3/networks', undefined, { session })
    await sleep(50)
    await lose(target, id)
    release()
    const response = await listed
    assert.equal(response.status, status, response.text)
  })
}

const SEARCH = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'] }

for (const [method, path, body] of [
  ['GET', '/Users', undefined],
  ['POST', '/Users/.search', SEARCH],
] as const) {
  for (const [lost, status] of [
    ['nothing', 200],
    ['its token', 401],
  ] as const) {
    test(`N-01 a provider that loses ${lost} while ${method} ${path} waits for its turn gets ${status}`, async (t) => {
      const { app, scim, signerId } = await setUpScim(t)
      const tokens = `${SIGNERS}/${signerId}/scim-tokens`
      const [{ id }] = (await app.admin('GET', tokens)).json.data
      const ahead = await holdTurn({ app }, `scim ${signerId}`)
      const from = performance.now()
      const listed = scim.call(method, path, body)
      await sleep(50)
      if (status === 401) assert.equal((await app.admin('DELETE', `${tokens}/${id}`)).status, 200)
      await ahead.ended
      assert.ok(performance.now() - from > AUTHORIZED_FOR_MS, 'the list had to wait')
      const response = await listed
      assert.equal(response.status, status, response.text)
    })
  }
}

const HOSTED_LISTS = ['/core/v3/networks', '/identity/v1/audit-events', '/identity/v1/audit-events?type=token']

for (const [change, status, path] of HOSTED_LISTS.flatMap((path) => [
  ['stays', 200, path] as const,
  ['is moved to another organization', 401, path] as const,
])) {
  test(`F-14 N-01 a machine whose client ${change} while ${path} waits for its turn gets ${status}`, async (t) => {
    const { app, createOrganization, createProvider, createAccount, token, call } = await setUpHosted(t)
    const [acme, other] = [await createOrganization('ACME'), await createOrganization('OTHER')]
    const account = await createAccount(await createProvider('cognito', { organizationId: acme }), 'machine', {
      organizationId: acme,
    })
    const otherProvider = await createProvider('cognito', { organizationId: other })
    const bearer = token('cognito', 'machine')
    const ahead = await holdTurn({ app }, acme)
    const from = performance.now()
    const listed = call('GET', path, bearer)
    await sleep(50)
    if (status === 401) {
      const removed = await call('DELETE', `/identity/v1/api-account-identities/${account}`, bearer)
      assert.ok(removed.status < 300, removed.text)
      await createAccount(otherProvider, 'machine', { organizationId: other })
      const self = await call('GET', '/identity/v1/identities/self', bearer)
      assert.equal(self.json.organizationId, other, self.text)
    }
    await ahead.ended
    assert.ok(performance.now() - from > AUTHORIZED_FOR_MS, 'the list had to wait')
    const response = await listed
    assert.equal(response.status, status, response.text)
  })
}
