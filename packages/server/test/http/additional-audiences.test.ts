import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import {
  CLIENT_SIGNERS,
  create,
  detailOf,
  jwksBody,
  SIGNERS,
  summarize,
  testWithApp,
} from './ext-jwt-signers.fixture.ts'
import { ALICE, AUDIENCE, decisionOf, logInWithToken, refusalOf, setUpProvider } from './provider.fixture.ts'
import { makeStrictPolicy } from './second-token.fixture.ts'

const OWN = '/edge/client/v1/current-identity'

async function setUp(t: TestContext) {
  const parts = await setUpProvider(t)
  await parts.createIdentity()
  return parts
}

test(`a token for any of the signer's audiences logs in, and for no other`, async (t) => {
  const { app, token, createSigner } = await setUp(t)
  const id = await createSigner({ additionalAudiences: ['api://one', 'api://two'] })
  for (const aud of [AUDIENCE, 'api://one', 'api://two', ['elsewhere', 'api://two'], ['api://one', 'api://two']]) {
    assert.equal((await logInWithToken(app, token({ aud }))).status, 200, JSON.stringify(aud))
  }
  for (const aud of ['api://three', 'api://one/', 'API://one', ['elsewhere'], []]) {
    assert.equal((await logInWithToken(app, token({ aud }))).status, 401, JSON.stringify(aud))
  }
  const patch = await app.admin('PATCH', `${SIGNERS}/${id}`, { additionalAudiences: ['api://two'] })
  assert.equal(patch.status, 200, patch.text)
  assert.equal((await logInWithToken(app, token({ aud: 'api://one' }))).status, 401)
  assert.equal((await logInWithToken(app, token({ aud: 'api://two' }))).status, 200)
})

test('a signer that is a second factor accepts a token for any of its audiences', async (t) => {
  const { app, token, createSigner } = await setUpProvider(t)
  const signerId = await createSigner({ additionalAudiences: ['api://one'] })
  await app.admin('POST', '/edge/management/v1/identities', {
    name: 'alice',
    type: 'Default',
    isAdmin: false,
    externalId: ALICE,
    authPolicyId: await makeStrictPolicy(app, signerId),
  })
  const login = await logInWithToken(app, token())
  const call = async (aud: string) => {
    const headers = { 'zt-session': login.json.data.token, authorization: `Bearer ${token({ aud })}` }
    return (await app.call('GET', OWN, undefined, { headers })).status
  }
  assert.deepEqual([await call(AUDIENCE), await call('api://one'), await call('api://two')], [200, 200, 401])
})

test('an unknown kid triggers a key fetch when the token names the signer by an additional audience', async (t) => {
  const { app, token, provider, createSigner } = await setUp(t)
  await createSigner({ additionalAudiences: ['api://one'] })
  assert.equal((await logInWithToken(app, token())).status, 200)
  const rotated = mintKey('P-256')
  provider.keys = [...provider.keys, rotated]
  app.clock.advance(3_600_000)
  assert.equal((await logInWithToken(app, token({ aud: 'api://one' }, rotated))).status, 200)
})

test('a refusal and explain name every audience that the signer accepts', async (t) => {
  const { app, token, createSigner, explain } = await setUp(t)
  await createSigner({ additionalAudiences: ['api://one'] })
  const refused = token({ aud: 'elsewhere' })
  const { signers, hints } = await explain(refused)
  const check = signers[0].checks.find(({ check }: { check: string }) => check === 'audience')
  assert.deepEqual(check, { check: 'audience', expected: 'overlay or api://one', received: 'elsewhere', pass: false })
  assert.match(hints.join('\n'), /expects "overlay" or "api:\/\/one"/)
  const decision = await decisionOf(app, await refusalOf(logInWithToken(app, refused)))
  assert.equal(decision.reason, 'audience-mismatch')
  const accepted = await explain(token({ aud: 'api://one' }))
  assert.deepEqual([accepted.signers[0].reason, accepted.hints], ['accepted', []])
})

testWithApp('additional audiences', async (t, app) => {
  const replace = (id: string, body: Record<string, unknown>) => app.admin('PUT', `${SIGNERS}/${id}`, body)
  const patch = (id: string, body: Record<string, unknown>) => app.admin('PATCH', `${SIGNERS}/${id}`, body)
  const audiencesOf = async (id: string) => (await detailOf(app, id)).additionalAudiences

  await t.test('are an empty list by default, and returned in the order given', async () => {
    assert.deepEqual(await audiencesOf(await create(app)), [])
    assert.deepEqual(await audiencesOf(await create(app, jwksBody({ additionalAudiences: ['b', 'a'] }))), ['b', 'a'])
  })

  await t.test('D64 are kept by a PUT without them, and cleared by null and [] in PUT and PATCH', async () => {
    const body = jwksBody({ additionalAudiences: ['b', 'a'], kid: 'k' })
    const id = await create(app, body)
    const { additionalAudiences: _, kid: __, ...without } = body
    assert.equal((await replace(id, without)).status, 200)
    const { kid, additionalAudiences } = await detailOf(app, id)
    assert.deepEqual([kid, additionalAudiences], [null, ['b', 'a']])
    assert.equal((await patch(id, { kid: 'k' })).status, 200)
    assert.deepEqual(await audiencesOf(id), ['b', 'a'])
    for (const clear of [null, []]) {
      for (const change of [patch, replace]) {
        const changed = await change(id, { ...body, additionalAudiences: ['c'] })
        assert.equal(changed.status, 200, changed.text)
        assert.deepEqual(await audiencesOf(id), ['c'])
        assert.equal((await change(id, { ...body, additionalAudiences: clear })).status, 200)
        assert.deepEqual(await audiencesOf(id), [])
      }
    }
  })

  await t.test('are refused with their field when one is blank, repeated, invisible or beyond the limit', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`)
    const refused: [unknown, string][] = [
      [[''], '400 COULD_NOT_VALIDATE additionalAudiences'],
      [[' '], '400 COULD_NOT_VALIDATE additionalAudiences'],
      [['a', 'a'], '400 COULD_NOT_VALIDATE additionalAudiences'],
      [['edge'], '400 COULD_NOT_VALIDATE additionalAudiences'],
      [['a\u0007'], '400 COULD_NOT_VALIDATE additionalAudiences'],
      [['a\u200b'], '400 COULD_NOT_VALIDATE additionalAudiences'],
      [['a'.repeat(1025)], '400 COULD_NOT_VALIDATE additionalAudiences.0'],
      [many(17), '400 COULD_NOT_VALIDATE additionalAudiences'],
      ['a', '400 COULD_NOT_PARSE_BODY'],
      [[1], '400 COULD_NOT_PARSE_BODY'],
      [[null], '400 COULD_NOT_PARSE_BODY'],
    ]
    for (const [additionalAudiences, expected] of refused) {
      const reply = await app.admin('POST', SIGNERS, jwksBody({ additionalAudiences }))
      assert.equal(summarize(reply), expected, JSON.stringify(additionalAudiences)?.slice(0, 60))
    }
    for (const additionalAudiences of [['a'], ['a', 'A'], ['a'.repeat(1024)], many(16), ['Edge']]) {
      assert.equal(summarize(await app.admin('POST', SIGNERS, jwksBody({ additionalAudiences }))), '201')
    }
  })

  await t.test('belong to one signer of an issuer, in either member', async () => {
    const issuer = 'https://shared.example'
    const taken = '400 COULD_NOT_VALIDATE issuer'
    const body = jwksBody({ issuer, audience: 'one', additionalAudiences: ['two'] })
    const { name } = body
    const first = await create(app, body)
    for (const clash of [
      { audience: 'one' },
      { audience: 'two' },
      { audience: 'three', additionalAudiences: ['one'] },
      { audience: 'three', additionalAudiences: ['four', 'two'] },
    ]) {
      const reply = await app.admin('POST', SIGNERS, jwksBody({ issuer, ...clash }))
      assert.equal(summarize(reply), taken, JSON.stringify(clash))
      assert.match(reply.json.error.cause.reason, /^duplicate value 'https:\/\/shared\.example' in unique index/)
      assert.equal(reply.json.error.conflictsWith, name, 'the name of the other signer, for people')
    }
    const second = await create(app, jwksBody({ issuer, audience: 'three', additionalAudiences: ['four'] }))
    assert.equal(summarize(await patch(second, { additionalAudiences: ['four', 'two'] })), taken)
    assert.equal(summarize(await patch(second, { audience: 'one' })), taken)
    assert.deepEqual(await audiencesOf(second), ['four'])
    const elsewhere = await create(app, jwksBody({ audience: 'one', additionalAudiences: ['two'] }))
    assert.equal(summarize(await patch(elsewhere, { issuer })), taken)
    assert.equal(summarize(await patch(second, { audience: 'four', additionalAudiences: ['three'] })), '200')
    assert.equal(summarize(await patch(first, { additionalAudiences: [] })), '200')
    assert.equal(summarize(await patch(second, { additionalAudiences: ['two'] })), '200')
    assert.equal((await app.admin('DELETE', `${SIGNERS}/${first}`)).status, 200)
    assert.equal(summarize(await patch(second, { additionalAudiences: ['one', 'two'] })), '200')
  })

  await t.test('one of several concurrent creates that overlap succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const issuer = `https://race-${round}.example`
      const bodies = [
        { audience: 'a', additionalAudiences: ['x', 'b'] },
        { audience: 'b', additionalAudiences: ['c', 'x'] },
        { audience: 'x', additionalAudiences: ['d'] },
        { audience: 'e', additionalAudiences: ['x', 'a'] },
      ].map((members) => jwksBody({ issuer, ...members }))
      const replies = await Promise.all(bodies.map((body) => app.admin('POST', SIGNERS, body)))
      const results = replies.map(summarize).toSorted()
      assert.deepEqual(results, ['201', ...Array(3).fill('400 COULD_NOT_VALIDATE issuer')])
    }
  })

  await t.test('are not shown to clients that have not logged in', async () => {
    await create(app, jwksBody({ additionalAudiences: ['hidden-audience'] }))
    const list = await app.call('GET', CLIENT_SIGNERS)
    assert.equal(list.status, 200)
    assert.ok(!list.text.includes('additionalAudiences') && !list.text.includes('hidden-audience'))
  })
})
