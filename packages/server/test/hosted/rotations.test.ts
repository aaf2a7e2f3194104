import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DEFAULT_QUOTAS } from '@countersign/core'
import { removeClient } from '../../src/operations/api-account/account-clients.ts'
import { makeAccountClients } from './account-clients.fixture.ts'
import { KINDS, setUpHosted } from './hosted.fixture.ts'

const ACCOUNTS = '/identity/v1/api-account-identities'
const OVERLAP_MINUTES = 60

/** An organization with an administrator and two more accounts, `rotating` and `other`. */
async function setUp(t: TestContext) {
  const hosted = await setUpHosted(t)
  const { app, createOrganization, createProvider, createAccount, token, call, bodyOf } = hosted
  const organizationId = await createOrganization('BUSY')
  const providerId = await createProvider('auth0', { organizationId })
  await createAccount(providerId, 'boss', { organizationId })
  const add = async (clientId: string): Promise<string> => {
    const body = { name: clientId, identityProviderId: providerId, clientId, proofToken: token('auth0', clientId) }
    return bodyOf(await call('POST', ACCOUNTS, token('auth0', 'boss'), body)).id
  }
  const rotate = (account: string, clientId: string, overlapMinutes = OVERLAP_MINUTES) => {
    const body = { clientId, proofToken: token('auth0', clientId), overlapMinutes }
    return call('POST', `${ACCOUNTS}/${account}/rotate`, token('auth0', 'boss'), body)
  }
  const accountClients = makeAccountClients(app)
  const clientsOf = async (account: string): Promise<string[]> => {
    const rows = app.store.db.selectFrom('api_account_clients').select('client_id').where('account_id', '=', account)
    return (await rows.orderBy('client_id').execute()).map((row) => row.client_id)
  }
  return { ...hosted, account: await add('rotating'), other: await add('other'), rotate, accountClients, clientsOf }
}

test('F-14 an account has twenty clients at most, and rotates again when earlier ones are removed', async (t) => {
  const { app, call, token, bodyOf, account, other, rotate, accountClients, clientsOf } = await setUp(t)
  const statuses = new Set<number>()
  for (let nth = 1; nth < DEFAULT_QUOTAS.clientsPerAccount; nth++)
    statuses.add((await rotate(account, `client ${nth}`)).status)
  assert.deepEqual([statuses, (await clientsOf(account)).length], [new Set([200]), DEFAULT_QUOTAS.clientsPerAccount])
  for (const overlapMinutes of [OVERLAP_MINUTES, 0]) {
    const refused = await rotate(account, 'one more', overlapMinutes)
    assert.deepEqual([refused.status, refused.json.field], [400, 'clientId'], refused.text)
  }
  const shown = bodyOf(await call('GET', `${ACCOUNTS}/${account}`, token('auth0', 'boss')), 200)
  assert.equal(shown.clientId, `client ${DEFAULT_QUOTAS.clientsPerAccount - 1}`)
  assert.equal((await rotate(other, 'one more')).status, 200)
  app.clock.advance(OVERLAP_MINUTES * 60_000)
  await accountClients.endOldSessions()
  for (let left = DEFAULT_QUOTAS.clientsPerAccount; left > 1; left = (await clientsOf(account)).length) {
    await accountClients.removeRetired()
  }
  assert.equal((await rotate(account, 'yet another')).status, 200)
})

test('rotations at the same time do not exceed the number of clients', async (t) => {
  const { account, rotate, clientsOf } = await setUp(t)
  const rotations = Array.from({ length: DEFAULT_QUOTAS.clientsPerAccount + 4 }, (_, nth) =>
    rotate(account, `client ${nth}`),
  )
  const statuses = (await Promise.all(rotations)).map(({ status }) => status).toSorted()
  assert.deepEqual(new Set(statuses), new Set([200, 400]))
  assert.equal((await clientsOf(account)).length, DEFAULT_QUOTAS.clientsPerAccount)
})

test('N-13 the removal of a retired client leaves one that is in use, or that another account has now', async (t) => {
  const { app, account, other, rotate, clientsOf } = await setUp(t)
  const { issuer } = KINDS.auth0.record
  const remove = (accountId: string, clientId: string) =>
    app.store.run(removeClient, { issuer, clientId, accountId }, { actorId: 'system', now: app.clock.now() })
  await remove(account, 'rotating')
  await remove(account, 'other')
  assert.deepEqual([await clientsOf(account), await clientsOf(other)], [['rotating'], ['other']])
  assert.equal((await rotate(account, 'next')).status, 200)
  await remove(account, 'rotating')
  assert.deepEqual(await clientsOf(account), ['next', 'rotating'], 'in its overlap')
  assert.equal((await rotate(account, 'last', 0)).status, 200)
  await remove(other, 'rotating')
  assert.deepEqual(await clientsOf(account), ['last', 'next', 'rotating'])
  await remove(account, 'rotating')
  assert.deepEqual(await clientsOf(account), ['last', 'next'])
})
