import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdentity, createPassword, OWN_SESSION } from './identities.fixture.ts'
import { SIGNERS, setUpProvider } from './provider.fixture.ts'
import { makeStrictPolicy } from './second-token.fixture.ts'

const LOGIN = '/edge/client/v1/authenticate?method=password'
const AUTHORIZE = 'https://idp.example/authorize'

test('D55 the query for a second token names no browser login of a signer that is not trusted', async (t) => {
  const { app, createSigner } = await setUpProvider(t)
  const signerId = await createSigner({ clientId: 'desktop', externalAuthUrl: AUTHORIZE })
  const id = await createIdentity(app, { isAdmin: true, authPolicyId: await makeStrictPolicy(app, signerId) })
  const { username, password } = await createPassword(app, id)
  const queries = async () => {
    const { json } = await app.call('POST', LOGIN, { username, password })
    const own = await app.call('GET', OWN_SESSION, undefined, { session: json.data.token })
    assert.deepEqual(own.json.data.authQueries, json.data.authQueries)
    return json.data.authQueries
  }
  const usual = { typeId: 'EXT-JWT', provider: 'url', id: signerId, scopes: null }
  assert.deepEqual(await queries(), [{ ...usual, httpUrl: AUTHORIZE, clientId: 'desktop' }])
  const manager = await app.makeIdentity({ permissions: ['external-jwt-signer.update'] })
  const phish = { externalAuthUrl: 'https://evil.example/', clientId: 'evil' }
  const changed = await app.call('PATCH', `${SIGNERS}/${signerId}`, phish, { session: manager.session })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(await queries(), [usual])
})
