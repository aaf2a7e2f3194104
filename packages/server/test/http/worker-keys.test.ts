import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { OutboundError } from '../../src/outbound/outbound-error.ts'
import { logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

/** Two workers on one database. Calls go to each in turn. */
async function setUpWorkers(t: Parameters<typeof setUpProvider>[0]) {
  const set = await setUpProvider(t, { deployment: 'workers' })
  const { app, provider, token } = set
  const signerId = await set.createSigner()
  await set.createIdentity()
  const logInEverywhere = async (jwt: string) => {
    const statuses: number[] = []
    for (let call = 0; call < 4; call++) statuses.push((await logInWithToken(app, jwt)).status)
    return statuses
  }
  assert.deepEqual(await logInEverywhere(token()), [200, 200, 200, 200])
  const second = mintKey('RSA', 'second')
  return {
    ...set,
    logInEverywhere,
    second,
    /** The provider replaces its keys, an administrator refreshes, and the provider is then down. */
    replaceKeys: async (keys: typeof provider.keys) => {
      provider.keys = keys
      const reply = await app.admin('POST', `${SIGNERS}/${signerId}/refresh-keys`)
      assert.equal(reply.status, 200, reply.text)
      provider.failure = new OutboundError('unreachable', 'the provider is down')
    },
  }
}

test('D13 no worker accepts a withdrawn key once refresh-keys is answered', async (t) => {
  const { token, second, replaceKeys, logInEverywhere } = await setUpWorkers(t)
  const old = token()
  await replaceKeys([second])
  assert.deepEqual(await logInEverywhere(old), [401, 401, 401, 401])
})

test('D13 every worker accepts a new key, and one that stays, once refresh-keys is answered', async (t) => {
  const { key, token, second, replaceKeys, logInEverywhere } = await setUpWorkers(t)
  await replaceKeys([key, second])
  assert.deepEqual(await logInEverywhere(token({}, second)), [200, 200, 200, 200])
  assert.deepEqual(await logInEverywhere(token()), [200, 200, 200, 200])
})

test('F-04 a burst of logins with a new key is accepted by every worker, without a refresh', async (t) => {
  const { app, key, provider, token, second } = await setUpWorkers(t)
  provider.keys = [key, second]
  const replies = await Promise.all(Array.from({ length: 40 }, () => logInWithToken(app, token({}, second))))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
})
