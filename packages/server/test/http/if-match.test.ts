import assert from 'node:assert/strict'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import type { TestApp } from './build-app.ts'
import { create, SIGNERS, summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, createPassword, IDENTITIES } from './identities.fixture.ts'

/** Creates one entity of each kind. Returns its path. */
const KINDS: Readonly<Record<string, (app: TestApp) => Promise<string>>> = {
  signer: async (app) => `${SIGNERS}/${await create(app)}`,
  policy: async (app) => `${POLICIES}/${await createPolicy(app)}`,
  identity: async (app) => `${IDENTITIES}/${await createIdentity(app)}`,
  authenticator: async (app) => `${AUTHENTICATORS}/${(await createPassword(app, await createIdentity(app))).id}`,
}

testWithApp('N-12 conditional updates with If-Match', async (t, app) => {
  const send = (method: string, path: string, body: unknown, ifMatch: string) =>
    app.admin(method, path, body, { session: app.adminSession, headers: { 'if-match': ifMatch } })
  const versionOf = async (path: string): Promise<string> =>
    (await app.admin('GET', path)).headers.etag ?? assert.fail('no etag')

  for (const [kind, make] of Object.entries(KINDS)) {
    await t.test(`${kind}: the second update of the same version is refused`, async () => {
      const path = await make(app)
      const seen = await versionOf(path)
      assert.match(seen, /^"[0-9a-z]+"$/)
      assert.equal(await versionOf(path), seen, 'reading changes nothing')
      assert.equal(summarize(await send('PATCH', path, { tags: { by: 'one' } }, seen)), '200')
      assert.equal(summarize(await send('PATCH', path, { tags: { by: 'two' } }, seen)), '412 PRECONDITION_FAILED')
      const { data } = (await app.admin('GET', path)).json
      assert.deepEqual(data.tags, { by: 'one' })
      if (kind !== 'authenticator') {
        const body = kind === 'identity' ? { ...data, type: 'Default' } : data
        assert.equal(summarize(await send('PUT', path, body, seen)), '412 PRECONDITION_FAILED')
        assert.equal(summarize(await send('PUT', path, body, await versionOf(path))), '200')
      }
      assert.equal(summarize(await send('DELETE', path, undefined, seen)), '412 PRECONDITION_FAILED')
      assert.equal(summarize(await send('DELETE', path, undefined, await versionOf(path))), '200')
      assert.equal(summarize(await send('PATCH', path, { tags: {} }, seen)), '404 NOT_FOUND')
    })
  }

  await t.test('one of many concurrent updates of the same version succeeds', async () => {
    const path = `${IDENTITIES}/${await createIdentity(app)}`
    const seen = await versionOf(path)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, by) => send('PATCH', path, { tags: { by } }, seen)),
    )
    const results = replies.map(summarize)
    assert.equal(results.filter((one) => one === '200').length, 1)
    assert.equal(results.filter((one) => one === '412 PRECONDITION_FAILED').length, 19)
  })

  await t.test('every change creates a new version, however fast they follow', async () => {
    const path = `${IDENTITIES}/${await createIdentity(app)}`
    const versions = new Set([await versionOf(path)])
    for (let by = 0; by < 10; by++) {
      await app.admin('PATCH', path, { tags: { by } })
      versions.add(await versionOf(path))
    }
    assert.equal(versions.size, 11)
  })

  await t.test(
    'without the header the last update wins; a star and a list work, a weak tag never matches',
    async () => {
      const path = `${IDENTITIES}/${await createIdentity(app)}`
      const seen = await versionOf(path)
      assert.equal(summarize(await app.admin('PATCH', path, { tags: { by: 'one' } })), '200')
      assert.equal(summarize(await app.admin('PATCH', path, { tags: { by: 'two' } })), '200')
      assert.equal(summarize(await send('PATCH', path, { tags: {} }, '*')), '200')
      assert.equal(summarize(await send('PATCH', path, { tags: {} }, `${seen}, ${await versionOf(path)}`)), '200')
      for (const bad of ['', '""', `W/${await versionOf(path)}`, 'x'.repeat(8_000)]) {
        assert.equal(
          summarize(await send('PATCH', path, { tags: {} }, bad)),
          '412 PRECONDITION_FAILED',
          bad.slice(0, 20),
        )
      }
      assert.equal(
        summarize(await send('POST', `${path}/disable`, { durationMinutes: 0 }, seen)),
        '412 PRECONDITION_FAILED',
      )
      assert.equal(
        summarize(await send('POST', `${path}/disable`, { durationMinutes: 0 }, await versionOf(path))),
        '200',
      )
    },
  )
})
