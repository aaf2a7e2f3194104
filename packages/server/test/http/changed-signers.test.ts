/** A signer that an administrator changes while a token of it waits for its key. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readKeySet } from '@countersign/core'
import { type MintKey, mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import { buildApp } from './build-app.ts'
import { enroll, IDENTITIES, KINDS, refusal } from './enroll-token.fixture.ts'
import { statusAndCode } from './one-time-codes.fixture.ts'
import { ALICE, AUDIENCE, ISSUER, logInWithToken, SIGNERS } from './provider.fixture.ts'
import { makeStrictPolicy } from './second-token.fixture.ts'

const ENROLLS = {
  enrollToTokenEnabled: true,
  enrollToCertEnabled: true,
  enrollNameClaimsSelector: '/sub',
  enrollAttributeClaimsSelector: '/groups',
}
const RESTRICTION = { requiredClaims: { dept: ['it'] } }

/** A controller with a signer, whose provider has a new key that is fetched only when `during` has ended. */
async function setUp(t: TestContext) {
  const [first, second] = [mintKey('RSA', 'first'), mintKey('RSA', 'second')]
  let keys: readonly MintKey[] = [first]
  let gate = Promise.resolve()
  let noteFetch = () => {}
  const fetchJwks = async () => {
    noteFetch()
    await gate
    return { keySet: readKeySet(Buffer.from(JSON.stringify(mintKeySet(...keys)))), freshForMs: undefined }
  }
  const app = await buildApp(t, { fetchJwks })
  const body = { name: 'idp', enabled: true, issuer: ISSUER, audience: AUDIENCE, useExternalId: true, ...ENROLLS }
  const made = await app.admin('POST', SIGNERS, { ...body, jwksEndpoint: 'https://idp.example/jwks' })
  assert.equal(made.status, 201, made.text)
  const { id } = made.json.data
  await app.admin('POST', `${SIGNERS}/${id}/refresh-keys`)
  keys = [first, second]
  return {
    app,
    signerId: id as string,
    patch: async (members: Readonly<Record<string, unknown>>) => {
      const reply = await app.admin('PATCH', `${SIGNERS}/${id}`, members)
      assert.equal(reply.status, 200, reply.text)
    },
    /** A token with the new key. */
    token: (sub: string) => {
      const exp = Math.floor(app.clock.now() / 1000) + 600
      const claims = { iss: ISSUER, aud: AUDIENCE, sub, exp, groups: ['finance'] }
      return mintToken({ key: second, claims })
    },
    /** Sends a request whose token has the new key, runs `during` while the key is fetched, and returns the response. */
    send: async <Result>(request: () => Promise<Result>, during: () => Promise<unknown>): Promise<Result> => {
      const { promise, resolve: open } = Promise.withResolvers<void>()
      const fetching = Promise.withResolvers<void>()
      gate = promise
      noteFetch = fetching.resolve
      const sent = request()
      await fetching.promise
      await during()
      open()
      return sent
    },
  }
}

test('D-16 a login whose token the changed signer refuses opens no session, and an unrelated change refuses none', async (t) => {
  for (const [change, status] of [
    [RESTRICTION, 401],
    [{ tags: { team: 'blue' } }, 200],
  ] as const) {
    const { app, patch, token, send } = await setUp(t)
    await app.admin('POST', IDENTITIES, { name: 'alice', type: 'Default', isAdmin: false, externalId: ALICE })
    const reply = await send(
      () => logInWithToken(app, token(ALICE)),
      () => patch(change),
    )
    assert.equal(reply.status, status, reply.text)
    assert.equal((await logInWithToken(app, token(ALICE))).status, status)
  }
})

test('D-16 an enrollment whose token the changed signer refuses creates no identity', async (t) => {
  for (const [kind, body] of Object.entries(KINDS)) {
    const { app, patch, token, send } = await setUp(t)
    const reply = await send(
      () => enroll(app, { tokens: [token('mallory')], body: body() }),
      () => patch(RESTRICTION),
    )
    assert.equal(refusal(reply), '400 INVALID_ENROLLMENT_TOKEN', kind)
    const found = await app.admin('GET', `${IDENTITIES}?filter=${encodeURIComponent('name = "mallory"')}`)
    assert.deepEqual(found.json.data, [])
  }
})

test('D-16 an enrollment during an unrelated change creates the identity by the new settings', async (t) => {
  for (const [kind, body] of Object.entries(KINDS)) {
    const { app, patch, token, send } = await setUp(t)
    const reply = await send(
      () => enroll(app, { tokens: [token('ann')], body: body() }),
      () => patch({ enrollAttributeClaimsSelector: '/none' }),
    )
    assert.equal(reply.status, 200, `${kind} ${reply.text}`)
    const found = await app.admin('GET', `${IDENTITIES}?filter=${encodeURIComponent('name = "ann"')}`)
    const attributes = found.json.data.map(({ roleAttributes }: Record<string, unknown>) => roleAttributes)
    assert.deepEqual(attributes, [[]], 'not the attributes of the former selector')
  }
})

test('D-16 a write whose second token was verified by former settings of its signer is refused', async (t) => {
  for (const [during, expected] of [
    ['a restriction', '401 UNAUTHORIZED'],
    ['nothing', '201'],
  ] as const) {
    const { app, signerId, patch, token, send } = await setUp(t)
    const authPolicyId = await makeStrictPolicy(app, signerId)
    const { session } = await app.makeIdentity({ externalId: ALICE, authPolicyId, permissions: ['identity'] })
    const headers = { authorization: `Bearer ${token(ALICE)}` }
    const reply = await send(
      () => app.call('POST', IDENTITIES, { name: 'new', type: 'Default', isAdmin: false }, { session, headers }),
      async () => during === 'nothing' || patch(RESTRICTION),
    )
    assert.equal(statusAndCode(reply), expected, reply.text)
  }
})
