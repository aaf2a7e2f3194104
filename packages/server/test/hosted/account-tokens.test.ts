import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DECISIONS, storeDecisions } from '../http/provider.fixture.ts'
import { ACCOUNTS, PROVIDERS, SELF, setUpFederated, TOKEN } from './federated.fixture.ts'

const NETWORKS = '/core/v3/networks'
const HOUR = 3_600_000

test('Y-06 a token is traded for an access token of this controller that outlives it', async (t) => {
  const { app, createRecord, createFederated, jobToken, trade, call } = await setUpFederated(t)
  const id = await createFederated(await createRecord())
  const reply = await trade(jobToken())
  assert.equal(reply.status, 200, reply.text)
  const { access_token: token, ...others } = reply.json
  assert.deepEqual(others, {
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 3600,
  })
  assert.deepEqual([reply.headers['cache-control'], reply.headers.pragma], ['no-store', 'no-cache'])
  app.clock.advance(HOUR / 2)
  const self = await call('GET', SELF, token)
  assert.deepEqual([self.status, self.json.id], [200, id], self.text)
  const created = await call('POST', NETWORKS, token, { name: 'by a job' })
  assert.equal(created.status, 201, created.text)
  const { _embedded } = (await call('GET', NETWORKS, token)).json
  const { id: networkId } = _embedded.networkList.find(({ name }: { name: string }) => name === 'local')
  const exchanged = await call('POST', `${NETWORKS}/${networkId}/exchange`, token, { type: 'session' })
  assert.equal(exchanged.status, 200)
  const session = exchanged.json.value
  const useSession = async () =>
    (await app.call('GET', '/edge/client/v1/current-identity', undefined, { session })).status
  const rows = await app.store.db.selectFrom('api_account_tokens').selectAll().execute()
  assert.ok(rows.length === 1 && !JSON.stringify(rows).includes(token.slice(5)), 'only the digest is stored')
  app.clock.advance(HOUR / 2 - 60_000)
  assert.deepEqual([(await call('GET', SELF, token)).status, await useSession()], [200, 200])
  app.clock.advance(60_000)
  assert.deepEqual([(await call('GET', SELF, token)).status, await useSession()], [401, 401], 'nor do its sessions')
})

test('Y-06 what is no exchange of a federated token is an OAuth error', async (t) => {
  const { app, createRecord, createFederated, createAccount, createProvider, token, jobToken, trade, tradeFor } =
    await setUpFederated(t)
  await createFederated(await createRecord())
  await createAccount(await createProvider('cognito'), 'machine-1')
  const traded = await tradeFor(jobToken())
  const rows: readonly [subject: string, members: Record<string, string>, error: string][] = [
    [jobToken(), { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [jobToken(), { subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }, 'invalid_request'],
    [jobToken(), { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }, 'invalid_request'],
    ['', {}, 'invalid_request'],
    ['not a token', {}, 'invalid_request'],
    [jobToken({ aud: 'sts.amazonaws.com' }), {}, 'invalid_request'],
    [traded, {}, 'invalid_request'],
    [token('cognito', 'machine-1'), {}, 'invalid_request'],
  ]
  for (const [subject, members, error] of rows) {
    const reply = await trade(subject, members)
    assert.deepEqual([reply.status, reply.json.error], [400, error], reply.text)
    assert.deepEqual(Object.keys(reply.json), ['error', 'error_description'])
    assert.equal(reply.headers['cache-control'], 'no-store')
  }
  const twice = await app.call('POST', TOKEN, undefined, {
    raw: 'grant_type=a&grant_type=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.deepEqual([twice.status, twice.json.error], [400, 'invalid_request'])
  const json = await app.call('POST', TOKEN, { grant_type: 'a' })
  assert.deepEqual([Math.floor(json.status / 100), json.json.error], [4, 'invalid_request'])
  assert.equal((await trade(jobToken())).status, 200)
})

test('Y-01 Y-06 a refused exchange names the condition that fails, and is recorded', async (t) => {
  const { app, createRecord, createFederated, jobToken, trade } = await setUpFederated(t)
  await createFederated(await createRecord())
  const reply = await trade(jobToken({ ref: 'refs/heads/evil' }))
  assert.equal(reply.status, 400)
  assert.match(reply.json.error_description, /ref is "refs\/heads\/evil"$/)
  await storeDecisions(app)
  const { data } = (await app.admin('GET', DECISIONS)).json
  assert.ok(data.some(({ reason }: { reason: string }) => reason === 'condition-unmet'))
  assert.equal((await trade(jobToken())).status, 200)
})

test('Y-05 a traded token and a job’s own token follow their account, record and organization at once', async (t) => {
  const federated = await setUpFederated(t)
  const { app, createOrganization, createRecord, createFederated, jobToken, tradeFor, call, audience } = federated
  const organizationId = await createOrganization('TENANT')
  const provider = await createRecord({ organizationId })
  const id = await createFederated(provider, { organizationId })
  const aud = audience.replace(/[^:]+$/, organizationId)
  const job = () => jobToken({ aud, scope: 'networks' })
  const asJob = (method: string, path: string, body: unknown) => call(method, path, job(), body)
  const statuses = async (traded: string) => [
    (await call('GET', SELF, traded)).status,
    (await call('GET', SELF, job())).status,
  ]
  const changes: readonly [what: string, path: string, body: object, after: readonly number[]][] = [
    ['role', `${ACCOUNTS}/${id}`, { role: 'admin', description: 'x' }, [200, 200]],
    ['name of the record', `${PROVIDERS}/${provider}`, { name: 'renamed' }, [200, 200]],
    ['keys of the record', `${PROVIDERS}/${provider}`, { jwksUri: 'https://keys.example/jwks' }, [401, 200]],
    [
      'same conditions',
      `${ACCOUNTS}/${id}`,
      { conditions: { repository: ['acme/app'], ref: ['refs/heads/main'] } },
      [200, 200],
    ],
    ['scope of the record', `${PROVIDERS}/${provider}`, { requiredScope: 'networks' }, [401, 200]],
    ['wider conditions', `${ACCOUNTS}/${id}`, { conditions: { repository: 'acme/app' } }, [401, 200]],
  ]
  for (const [what, path, body, after] of changes) {
    const traded = await tradeFor(job())
    assert.deepEqual(await statuses(traded), [200, 200], what)
    assert.equal((await asJob('PATCH', path, body)).status, 200, what)
    assert.deepEqual(await statuses(traded), after, what)
  }
  const traded = await tradeFor(job())
  const operator = `/identity/v1/operator/organizations/${organizationId}`
  assert.equal((await app.admin('POST', `${operator}/suspend`, { reason: 'unpaid' })).status, 200)
  assert.deepEqual(await statuses(traded), [401, 401])
  assert.match((await call('GET', SELF, traded)).json.errors[0], /suspended.*unpaid/)
  assert.equal((await app.admin('POST', `${operator}/resume`)).status, 200)
  assert.deepEqual(await statuses(traded), [200, 200])
})

test('Y-05 a new role applies to the next request of a traded token; an ended account has none', async (t) => {
  const { app, createRecord, createFederated, jobToken, tradeFor, call } = await setUpFederated(t)
  const provider = await createRecord()
  const id = await createFederated(provider)
  const path = `${ACCOUNTS}/${id}`
  const traded = await tradeFor(jobToken())
  const write = async (bearer: string) => (await call('POST', NETWORKS, bearer, { name: `n${Math.random()}` })).status
  assert.equal(await write(traded), 201)
  assert.equal((await app.admin('PATCH', path, { role: 'read-only' })).status, 200)
  assert.deepEqual([await write(traded), (await call('GET', SELF, traded)).status], [403, 200])
  for (const [ending, undo] of [
    [{ active: false }, { active: true }],
    [{ expiresAt: new Date(app.clock.now()).toISOString() }, { expiresAt: null }],
  ]) {
    const before = await tradeFor(jobToken())
    assert.equal((await app.admin('PATCH', path, ending)).status, 200)
    assert.deepEqual(
      [(await call('GET', SELF, before)).status, (await call('GET', SELF, jobToken())).status],
      [401, 401],
    )
    assert.equal((await app.admin('PATCH', path, undo)).status, 200)
    assert.equal((await call('GET', SELF, before)).status, 401, 'an earlier token stays refused')
    assert.equal((await call('GET', SELF, jobToken())).status, 200)
  }
  const last = await tradeFor(jobToken())
  assert.equal((await app.admin('PATCH', `${PROVIDERS}/${provider}`, { enabled: false })).status, 200)
  assert.deepEqual([(await call('GET', SELF, last)).status, (await call('GET', SELF, jobToken())).status], [401, 401])
  assert.equal((await app.admin('PATCH', `${PROVIDERS}/${provider}`, { enabled: true })).status, 200)
  const again = await tradeFor(jobToken())
  assert.equal((await app.admin('DELETE', path)).status, 204)
  assert.deepEqual([(await call('GET', SELF, again)).status, (await call('GET', SELF, jobToken())).status], [401, 401])
})

test('Y-06 a traded token lives no longer than its account', async (t) => {
  const { app, createRecord, createFederated, jobToken, trade } = await setUpFederated(t)
  const end = app.clock.now() + 600_000
  await createFederated(await createRecord(), { expiresAt: new Date(end).toISOString() })
  const { expires_in: seconds } = (await trade(jobToken())).json
  assert.ok(seconds > 500 && seconds <= 600, seconds)
  app.clock.advance(end - app.clock.now() - 900)
  const last = await trade(jobToken())
  assert.ok(last.status === 401 || app.clock.now() >= end, last.text)
})

test('Y-06 an account gets a limited number of tokens', async (t) => {
  const { createRecord, createFederated, jobToken, trade } = await setUpFederated(t, { isAlone: 'controller' })
  await createFederated(await createRecord())
  const job = jobToken()
  let reply = await trade(job)
  for (let traded = 1; traded <= 500 && reply.status === 200; traded++) reply = await trade(job)
  assert.deepEqual([reply.status, reply.json.error], [429, 'temporarily_unavailable'])
})
