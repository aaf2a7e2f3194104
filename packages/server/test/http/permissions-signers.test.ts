import assert from 'node:assert/strict'
import { createPolicy } from './auth-policies.fixture.ts'
import { create, detailOf, jwksBody, SIGNERS, savedOf, summarize, testWithApp } from './ext-jwt-signers.fixture.ts'

const REFUSED = '401 UNAUTHORIZED'

testWithApp('signer changes by callers who are not administrators', async (t, app) => {
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const enroller = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity.create'] })
  const as = (caller: string, method: string, path: string, body: unknown) =>
    app.call(method, path, body, { session: caller })
  const enrollAuthPolicyId = await createPolicy(app)
  const enrolling: readonly Record<string, unknown>[] = [
    { enrollToTokenEnabled: true },
    { enrollToCertEnabled: true },
    { enrollAuthPolicyId },
    { enrollAttributeClaimsSelector: '/groups' },
  ]

  await t.test('N-02 writing a signer that enrolls requires permission to create identities', async () => {
    for (const members of enrolling) {
      const what = JSON.stringify(members)
      assert.equal(summarize(await as(session, 'POST', SIGNERS, jwksBody(members))), REFUSED, what)
      assert.equal(summarize(await as(enroller.session, 'POST', SIGNERS, jwksBody(members))), '201', what)

      const id = await create(app)
      const before = await detailOf(app, id)
      assert.equal(summarize(await as(session, 'PATCH', `${SIGNERS}/${id}`, members)), REFUSED, what)
      assert.equal(summarize(await as(session, 'PUT', `${SIGNERS}/${id}`, { ...before, ...members })), REFUSED, what)
      assert.deepEqual((await detailOf(app, id)).updatedAt, before.updatedAt)
      assert.equal(summarize(await as(enroller.session, 'PATCH', `${SIGNERS}/${id}`, members)), '200', what)
    }
  })

  await t.test('R-23 a caller has at most 200 signers that no administrator trusts', async () => {
    const holder = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
    const add = (caller: string) => as(caller, 'POST', SIGNERS, jwksBody())
    let last = ''
    for (let count = 0; count < 200; count++) {
      const reply = await add(holder.session)
      assert.equal(reply.status, 201, reply.text)
      last = reply.json.data.id
    }
    assert.equal(summarize(await add(holder.session)), '400 COULD_NOT_VALIDATE')
    assert.equal(summarize(await add(session)), '201', 'another caller')
    assert.equal(summarize(await add(app.adminSession)), '201', 'an administrator')
    assert.equal((await app.admin('POST', `${SIGNERS}/${last}/trust`)).status, 200)
    assert.equal(summarize(await add(holder.session)), '201')
    assert.equal(summarize(await add(holder.session)), '400 COULD_NOT_VALIDATE')
  })

  await t.test('R-23 the untrusted signers of a caller have rules and texts of a bounded length together', async () => {
    const long = (unit: string, count: number) => Array.from({ length: count }, () => unit).join('')
    const rules = (count: number) => Array.from({ length: count }, (_, at) => `["${at}", "${long('x', 3_900)}"]`)
    const cases = (count: number) =>
      Array.from({ length: count }, (_, at) => {
        return { name: `${at}`, claims: { pad: long('x', 2_000) }, expect: { outcome: 'refused' } }
      })
    for (const [size, member, perSigner, most] of [
      ['rules', (count: number) => ({ attributeRules: rules(count) }), 8, 2],
      ['texts', (count: number) => ({ testCases: cases(count) }), 60, 33],
    ] as const) {
      const holder = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
      const add = async (caller: string, count: number) => as(caller, 'POST', SIGNERS, jwksBody(member(count)))
      const ids: string[] = []
      for (let count = 0; count < most; count++) {
        const reply = await add(holder.session, perSigner)
        assert.equal(reply.status, 201, reply.text)
        ids.push(reply.json.data.id)
      }
      assert.equal(summarize(await add(holder.session, perSigner)), '400 COULD_NOT_VALIDATE', size)
      assert.equal(summarize(await add(session, perSigner)), '201', 'another caller')
      assert.equal(summarize(await add(app.adminSession, perSigner)), '201', 'an administrator')
      const small = await add(holder.session, 0)
      assert.equal(small.status, 201, small.text)
      const patch = async (id: string, count: number) =>
        summarize(await as(holder.session, 'PATCH', `${SIGNERS}/${id}`, member(count)))
      assert.equal(await patch(small.json.data.id, perSigner), '400 COULD_NOT_VALIDATE', size)
      assert.equal(await patch(ids[0] ?? '', 0), '200')
      assert.equal(await patch(small.json.data.id, perSigner), '200')
      const trusted = await add(app.adminSession, perSigner)
      assert.equal(await patch(trusted.json.data.id, perSigner), '400 COULD_NOT_VALIDATE', 'would not be trusted then')
      const tags = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`pad ${at}`, long('x', 1_000)]))
      const tagged: string[] = []
      for (const id of ids) tagged.push(summarize(await as(holder.session, 'PATCH', `${SIGNERS}/${id}`, { tags })))
      assert.equal(tagged[0], '200')
      assert.equal(tagged.includes('400 COULD_NOT_VALIDATE'), size === 'texts', 'tags alone')
    }
  })

  await t.test('N-02 writing a signer that syncs identities requires permission to update them', async () => {
    const { session: updater } = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity'] })
    const selector = { enrollAttributeClaimsSelector: '/groups' }
    for (const [on, off] of [
      [{ attributeSync: 'login' }, { attributeSync: 'enrollment' }],
      [{ nameSync: true }, { nameSync: false }],
    ]) {
      const body = jwksBody({ ...selector, ...on })
      assert.equal(summarize(await as(enroller.session, 'POST', SIGNERS, body)), REFUSED)
      assert.equal(summarize(await as(updater, 'POST', SIGNERS, body)), '201')
      const path = `${SIGNERS}/${await create(app, jwksBody(selector))}`
      assert.equal(summarize(await as(enroller.session, 'PATCH', path, { clientId: 'before' })), '200')
      for (const change of [on, { clientId: 'while it syncs' }, off]) {
        assert.equal(summarize(await as(updater, 'PATCH', path, change)), '200')
        const isSyncing = change !== off
        assert.equal(
          summarize(await as(enroller.session, 'PATCH', path, { ...off, clientId: 'theirs' })),
          isSyncing ? REFUSED : '200',
        )
      }
      assert.equal(summarize(await as(enroller.session, 'PATCH', path, on)), REFUSED)
    }
  })

  await t.test(
    'N-04 a trusted signer that an administrator disabled stays disabled, also by way of its trust',
    async () => {
      const id = await create(app)
      const path = `${SIGNERS}/${id}`
      assert.equal(summarize(await as(session, 'PATCH', path, { clientId: 'while enabled' })), '200')
      await app.admin('PATCH', path, { clientId: 'of an administrator', enabled: false })
      assert.equal(summarize(await as(session, 'PATCH', path, { enabled: true })), REFUSED)
      assert.equal(summarize(await as(session, 'PATCH', path, { clientId: 'other' })), REFUSED)
      assert.equal(summarize(await as(session, 'PATCH', path, { tags: { seen: true } })), '200')
      assert.equal((await detailOf(app, id)).enabled, false)
    },
  )

  await t.test(
    'N-02 an enrolling signer cannot be pointed at another provider without that permission, but it can be disabled',
    async () => {
      const id = await create(app, jwksBody({ enrollToTokenEnabled: true }))
      const own = { jwksEndpoint: 'https://own-provider.example/keys' }
      assert.equal(summarize(await as(session, 'PATCH', `${SIGNERS}/${id}`, own)), REFUSED)
      assert.equal(summarize(await as(session, 'PATCH', `${SIGNERS}/${id}`, { enrollToTokenEnabled: false })), '200')
      assert.equal(summarize(await as(session, 'PATCH', `${SIGNERS}/${id}`, own)), '200')
    },
  )

  await t.test('N-04 only administrators change the identity claim, and the change is recorded', async () => {
    const id = await create(app, jwksBody({ claimsProperty: '/sub', useExternalId: true }))
    for (const change of [{ claimsProperty: '/nickname' }, { useExternalId: false }]) {
      const before = await savedOf(app, id)
      assert.equal(summarize(await as(session, 'PATCH', `${SIGNERS}/${id}`, change)), REFUSED)
      assert.equal(summarize(await as(session, 'PUT', `${SIGNERS}/${id}`, { ...before, ...change })), REFUSED)
      assert.deepEqual(await savedOf(app, id), before)
      assert.equal(summarize(await as(session, 'PUT', `${SIGNERS}/${id}`, { ...before, clientId: 'x' })), '200')

      assert.equal(summarize(await app.admin('PATCH', `${SIGNERS}/${id}`, change)), '200')
      const entry = await app.store.db
        .selectFrom('change_log')
        .selectAll()
        .where('entity_id', '=', id)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      const { id: adminId } = (await app.admin('GET', '/edge/management/v1/current-identity')).json.data
      assert.deepEqual([entry.action, entry.actor_id], ['updated', adminId])
      assert.notEqual(entry.before_hash, entry.after_hash)
    }
  })
})
