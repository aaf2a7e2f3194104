import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from './build-app.ts'
import { makeHolder } from './client-certificates.fixture.ts'
import { AUTHENTICATORS, createIdentity, createPassword, IDENTITIES } from './identities.fixture.ts'

const POLICIES = '/edge/management/v1/auth-policies'

test('a refusal names the identity that has the value, to callers that can read identities', async (t) => {
  const app = await buildApp(t)
  const alice = await createIdentity(app, { name: 'Alice', externalId: 'a@example' })
  const bob = await createIdentity(app, { name: 'Bob' })
  await createPassword(app, alice, { username: 'alice' })
  const holder = await makeHolder(app, { identity: { name: 'Carol' } })
  const password = { method: 'updb', username: 'alice', password: 'a long password' }
  const refusals: readonly [string, string, object, string, string][] = [
    [
      'POST',
      IDENTITIES,
      { name: 'Dora', type: 'User', isAdmin: false, externalId: 'a@example' },
      'externalId',
      'Alice',
    ],
    ['PATCH', `${IDENTITIES}/${bob}`, { externalId: 'a@example' }, 'externalId', 'Alice'],
    ['PATCH', `${IDENTITIES}/${bob}`, { name: 'Alice' }, 'name', 'Alice'],
    ['POST', AUTHENTICATORS, { ...password, identityId: bob }, 'updbUsername', 'Alice'],
    ['POST', AUTHENTICATORS, { method: 'cert', identityId: bob, certPem: holder.certPem }, 'certPem', 'Carol'],
  ]
  for (const [method, path, body, field, owner] of refusals) {
    const { json } = await app.admin(method, path, body)
    assert.deepEqual([json.error?.cause.field, json.error?.conflictsWith], [field, owner], JSON.stringify(json))
    assert.ok(!('conflictsWith' in json.error.cause))
  }
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const again = await app.admin('POST', POLICIES, policy)
  assert.deepEqual([again.json.error.cause.field, again.json.error.conflictsWith], ['name', policy.name])

  const body = { name: 'Erin', type: 'User', isAdmin: false, externalId: 'a@example' }
  for (const [permissions, owner] of [
    [['identity.create'], undefined],
    [['identity.create', 'identity.read'], 'Alice'],
  ] as const) {
    const { session } = await app.makeIdentity({ permissions: [...permissions] })
    const { json } = await app.call('POST', IDENTITIES, body, { session })
    assert.deepEqual([json.error.cause.field, json.error.conflictsWith], ['externalId', owner])
  }
})
