/** An organization whose provider names a slow host for the removal of each client. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../keyset/fake-time.ts'
import { setUpHosted } from './hosted.fixture.ts'

const ACCOUNTS = '/identity/v1/api-account-identities'
const COUNT = 12
/** Removals of an organization that one node sends at once. */
const AT_ONCE = 2

/** A registration endpoint that responds to removals when `held` resolves. */
async function startRegistration(t: TestContext, held: Promise<unknown> = Promise.resolve()) {
  const removals = { open: 0, most: 0, removed: new Set<string>() }
  let registered = 0
  const server = createServer(async (request, response) => {
    if (request.method === 'DELETE') {
      removals.open++
      removals.most = Math.max(removals.most, removals.open)
      await held
      removals.open--
      removals.removed.add(request.url ?? '')
      response.writeHead(204).end()
      return
    }
    const id = `client-${registered++}`
    const body = { client_id: id, client_secret: 's', registration_client_uri: `${url}/${id}` }
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...body, registration_access_token: 't' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/register`
  return { url, removals }
}

test('S-11 slow removals of one organization run two at a time, and those of others are not delayed', async (t) => {
  const { app, createOrganization, createProvider, call, token, bodyOf } = await setUpHosted(t)
  const slow = Promise.withResolvers<void>()
  const [hostile, fine] = [await startRegistration(t, slow.promise), await startRegistration(t)]
  const organizationId = await createOrganization('FINE')
  const providers = {
    hostile: await createProvider('auth0', { registrationUrl: hostile.url }),
    fine: await createProvider('okta', { registrationUrl: fine.url, organizationId }),
  }
  const create = async (name: string, members: object): Promise<string> =>
    bodyOf(await app.admin('POST', ACCOUNTS, { name, contactEmail: 'a@b.example', ...members })).id
  const ids: string[] = []
  for (let nth = 0; nth < COUNT * app.stores.length; nth++) {
    ids.push(await create(`hostile ${nth}`, { identityProviderId: providers.hostile }))
  }
  const own = await create('fine', { identityProviderId: providers.fine, organizationId, role: 'admin' })
  const sent = ids.map(async (id) => (await app.admin('DELETE', `${ACCOUNTS}/${id}`)).status)
  await until(() => hostile.removals.open >= AT_ONCE * app.stores.length)
  assert.equal((await call('DELETE', `${ACCOUNTS}/${own}`, token('okta', 'client-0'))).status, 204)
  assert.equal(fine.removals.removed.size, 1)
  slow.resolve()
  assert.deepEqual(new Set(await Promise.all(sent)), new Set([204]))
  await until(() => hostile.removals.removed.size === ids.length)
  assert.equal(hostile.removals.most, AT_ONCE * app.stores.length)
})

test('S-11 the deletion of an account is answered while its client waits to be removed', async (t) => {
  const { app, createProvider, bodyOf } = await setUpHosted(t, { isAlone: 'node' })
  const slow = Promise.withResolvers<void>()
  const { url, removals } = await startRegistration(t, slow.promise)
  const identityProviderId = await createProvider('auth0', { registrationUrl: url })
  const ids: string[] = []
  for (let nth = 0; nth < 2 * AT_ONCE + 1; nth++) {
    const body = { name: `h${nth}`, identityProviderId, contactEmail: 'a@b.example' }
    ids.push(bodyOf(await app.admin('POST', ACCOUNTS, body)).id)
  }
  const statuses = ids.map(async (id) => (await app.admin('DELETE', `${ACCOUNTS}/${id}`)).status)
  assert.deepEqual(new Set(await Promise.all(statuses)), new Set([204]))
  slow.resolve()
  await until(() => removals.removed.size >= ids.length)
})
