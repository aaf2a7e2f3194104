import assert from 'node:assert/strict'
import { createPolicy, POLICIES, policyBody, policyOf } from './auth-policies.fixture.ts'
import { changed, create, jwksBody, SIGNERS, summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import { createIdentity } from './identities.fixture.ts'

/** What a policy shows that sets none of them. */
const NO_REQUIREMENTS = { requireAcr: [], requireAmr: [], maxAuthAgeSeconds: null }
const NO_SESSION_LIFE = { idleMinutes: null, maxMinutes: null, endWithToken: false }
const NO_CERTIFICATE_RULES = { maxDays: null, renewalNeedsToken: false, renewalGraceHours: 24 }
const NO_SECONDARY = { requireTotp: false, requirePasskey: false }

testWithApp('authentication policies', async (t, app) => {
  await t.test('R-21 a renamed policy has its new name at once for the sessions under it, which go on', async () => {
    const authPolicyId = await createPolicy(app)
    const { session } = await app.makeIdentity({ authPolicyId })
    const shownName = async () => {
      const { status, json } = await app.call('GET', '/edge/management/v1/current-identity', undefined, { session })
      return status === 200 ? json.data.authPolicy.name : status
    }
    const before = await shownName()
    assert.equal((await app.admin('PATCH', `${POLICIES}/${authPolicyId}`, { name: `${before} renamed` })).status, 200)
    assert.equal(await shownName(), `${before} renamed`)
    const { primary } = await policyOf(app, authPolicyId)
    const stricter = { primary: { ...primary, updb: { ...primary.updb, allowed: false } } }
    assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/${authPolicyId}`, stricter)), '200')
    assert.equal(await shownName(), 401)
  })

  await t.test('W-46 a policy is created, read back, replaced, deleted, and then gone', async () => {
    const signer = await create(app)
    const body = policyBody({
      extJwt: { allowedSigners: [signer, signer] },
      updb: { minPasswordLength: 9, requireNumberChar: true, maxAttempts: 3, lockoutDurationMinutes: 7 },
      secondary: { requireExtJwtSigner: signer },
      tags: { team: 'blue' },
    })
    const made = await app.admin('POST', POLICIES, body)
    assert.equal(made.status, 201)
    const { id } = made.json.data
    assert.deepEqual(made.json, { data: { _links: { self: { href: `./auth-policies/${id}` } }, id }, meta: {} })

    const { _links, createdAt, updatedAt, ...shown } = await policyOf(app, id)
    const extJwt = { allowed: true, allowedSigners: [signer], ...NO_REQUIREMENTS }
    assert.deepEqual(_links, { self: { href: `./auth-policies/${id}` } })
    assert.equal(createdAt, updatedAt)
    const expected = {
      primary: { ...body.primary, extJwt, passkey: { allowed: false } },
      secondary: { ...body.secondary, requirePasskey: false },
    }
    const rules = { session: NO_SESSION_LIFE, certificate: NO_CERTIFICATE_RULES, acceptRule: null }
    assert.deepEqual(shown, { id, ...body, ...expected, ...rules })

    const next = policyBody({ cert: { allowed: false } })
    assert.equal(summarize(await app.admin('PUT', `${POLICIES}/${id}`, next)), '200')
    const replaced = await policyOf(app, id)
    const nextExtJwt = { ...next.primary.extJwt, ...NO_REQUIREMENTS }
    assert.deepEqual(replaced.primary, { ...next.primary, extJwt: nextExtJwt, passkey: { allowed: false } })
    assert.deepEqual(replaced.secondary, NO_SECONDARY, 'an omitted second signer is removed, and not shown')
    assert.deepEqual(replaced.tags, {}, 'omitted tags are removed')

    const gone = await app.admin('DELETE', `${POLICIES}/${id}`)
    assert.deepEqual([gone.status, gone.json], [200, { data: {}, meta: {} }])
    for (const [method, sent] of [['GET'], ['PUT', next], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
      const reply = await app.admin(method, `${POLICIES}/${id}`, sent)
      assert.equal(summarize(reply), '404 NOT_FOUND', method)
      assert.equal(reply.json.error.cause.message, `authPolicy with id ${id} not found`)
    }
  })

  await t.test('W-47 PATCH changes the given leaf and nothing else', async () => {
    const signer = await create(app)
    const id = await createPolicy(app, {
      extJwt: { allowedSigners: [signer] },
      updb: { minPasswordLength: 8, requireMixedCase: true },
      secondary: { requireExtJwtSigner: signer },
      tags: { a: 1 },
    })
    const leaves: readonly [object, string][] = [
      [{ name: 'renamed' }, 'name'],
      [{ primary: { updb: { allowed: false } } }, 'primary.updb.allowed'],
      [{ primary: { updb: { minPasswordLength: 12 } } }, 'primary.updb.minPasswordLength'],
      [{ primary: { updb: { requireNumberChar: true } } }, 'primary.updb.requireNumberChar'],
      [{ primary: { updb: { requireMixedCase: false } } }, 'primary.updb.requireMixedCase'],
      [{ primary: { updb: { requireSpecialChar: true } } }, 'primary.updb.requireSpecialChar'],
      [{ primary: { updb: { maxAttempts: 5 } } }, 'primary.updb.maxAttempts'],
      [{ primary: { updb: { lockoutDurationMinutes: 6 } } }, 'primary.updb.lockoutDurationMinutes'],
      [{ primary: { cert: { allowed: false } } }, 'primary.cert.allowed'],
      [{ primary: { cert: { allowExpiredCerts: true } } }, 'primary.cert.allowExpiredCerts'],
      [{ primary: { extJwt: { allowed: false } } }, 'primary.extJwt.allowed'],
      [{ primary: { extJwt: { allowedSigners: [] } } }, 'primary.extJwt.allowedSigners'],
      [{ secondary: { requireTotp: true } }, 'secondary.requireTotp'],
      [{ secondary: { requireExtJwtSigner: '' } }, 'secondary.requireExtJwtSigner'],
      [{ tags: { b: 'c' } }, 'tags'],
    ]
    for (const [patch, leaf] of leaves) {
      const before = leavesOf(await policyOf(app, id))
      assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/${id}`, patch)), '200', leaf)
      assert.deepEqual(changed(before, leavesOf(await policyOf(app, id))), [leaf])
    }
  })

  await t.test('W-47 a PATCH with only nulls and empty objects changes nothing', async () => {
    const signer = await create(app)
    const id = await createPolicy(app, {
      extJwt: { allowedSigners: [signer] },
      secondary: { requireExtJwtSigner: signer },
    })
    const before = await policyOf(app, id)
    const nothing = { name: null, primary: { cert: {}, extJwt: { allowedSigners: null }, updb: null }, tags: null }
    const bodies = [{}, nothing, { secondary: { requireExtJwtSigner: null } }]
    for (const body of bodies) {
      assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/${id}`, body)), '200')
      assert.deepEqual(leavesOf(await policyOf(app, id)), leavesOf(before))
    }
  })

  await t.test('an existing client’s update clears the tags and the second signer, and keeps the rest', async () => {
    const signer = await create(app)
    const id = await createPolicy(app, {
      extJwt: { allowedSigners: [signer] },
      secondary: { requireExtJwtSigner: signer },
      tags: { a: 'b' },
    })
    const before = leavesOf(await policyOf(app, id))
    const body = {
      primary: { cert: {}, extJwt: { allowedSigners: null }, updb: {} },
      secondary: { requireExtJwtSigner: '' },
      tags: {},
    }
    assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/${id}`, body)), '200')
    const after = leavesOf(await policyOf(app, id))
    assert.deepEqual(changed(before, after), ['secondary.requireExtJwtSigner', 'tags'])
    assert.deepEqual(after.tags, {})
  })

  await t.test('W-48 W-49 a signer that does not exist is refused in every write', async () => {
    const signer = await create(app)
    const id = await createPolicy(app)
    const one = `${POLICIES}/${id}`
    // Sorts before the existing signer: the index in the error is that of the caller's list.
    const primary = { extJwt: { allowedSigners: [signer, '-none'] } }
    const secondary = { secondary: { requireExtJwtSigner: 'none' } }
    const field = 'primary.extJwt.allowedExtJwtSigners[1]'
    const refused = await app.admin('POST', POLICIES, policyBody(primary))
    assert.deepEqual(refused.json.error.cause, { field, reason: 'not found', value: '-none' })
    assert.equal(summarize(refused), `404 NOT_FOUND ${field}`)
    assert.equal(
      summarize(await app.admin('POST', POLICIES, policyBody(secondary))),
      '404 NOT_FOUND secondary.requiredExtJwtSigner',
    )
    assert.equal(summarize(await app.admin('PUT', one, policyBody(primary))), `404 NOT_FOUND ${field}`)
    assert.equal(summarize(await app.admin('PATCH', one, { primary })), `404 NOT_FOUND ${field}`)
    for (const [method, body] of [
      ['PUT', policyBody(secondary)],
      ['PATCH', secondary],
    ] as const) {
      const reply = await app.admin(method, one, body)
      assert.equal(summarize(reply), '404 NOT_FOUND')
      assert.equal(reply.json.error.cause.message, 'externalJwtSigner with id none not found')
    }
    const good = { extJwt: { allowedSigners: [signer] }, secondary: { requireExtJwtSigner: signer } }
    assert.equal(summarize(await app.admin('POST', POLICIES, policyBody(good))), '201')
    assert.equal(summarize(await app.admin('PUT', one, policyBody(good))), '200')
    assert.equal(
      summarize(await app.admin('PATCH', one, { primary: { extJwt: good.extJwt }, secondary: good.secondary })),
      '200',
    )
  })

  await t.test('a blank second signer means none, on create and update', async () => {
    const signer = await create(app)
    for (const write of ['POST', 'PUT', 'PATCH']) {
      const id = await createPolicy(app, { secondary: { requireExtJwtSigner: write === 'POST' ? '' : signer } })
      const blank = { secondary: { requireTotp: false, requireExtJwtSigner: '' } }
      if (write !== 'POST') {
        const body = write === 'PUT' ? policyBody(blank) : blank
        assert.equal(summarize(await app.admin(write, `${POLICIES}/${id}`, body)), '200')
      }
      assert.deepEqual((await policyOf(app, id)).secondary, NO_SECONDARY, write)
    }
  })

  await t.test('W-50 N-09 a signer that a policy names cannot be deleted until the policy drops it', async () => {
    const cases = [
      {
        parts: (signer: string) => ({ extJwt: { allowedSigners: [signer] } }),
        field: 'primary.extJwt.allowedSigners',
        release: { primary: { extJwt: { allowedSigners: [] } } },
      },
      {
        parts: (signer: string) => ({ secondary: { requireExtJwtSigner: signer } }),
        field: 'secondary.requireExtJwtSigner',
        release: { secondary: { requireExtJwtSigner: '' } },
      },
    ]
    for (const { parts, field, release } of cases) {
      const signer = await create(app)
      const id = await createPolicy(app, parts(signer))
      const refused = await app.admin('DELETE', `${SIGNERS}/${signer}`)
      assert.equal(summarize(refused), `409 CAN_NOT_DELETE_REFERENCED_ENTITY ${field}`)
      assert.equal(refused.json.error.cause.value, `[${id}]`)
      assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/${id}`, release)), '200')
      assert.equal(summarize(await app.admin('DELETE', `${SIGNERS}/${signer}`)), '200')
    }
  })

  await t.test('W-51 a policy in use cannot be deleted, and the refusal names its users', async () => {
    const id = await createPolicy(app)
    const identity = await app.makeIdentity({ authPolicyId: id })
    const signer = await create(app, jwksBody({ enrollAuthPolicyId: id }))
    const byIdentity = await app.admin('DELETE', `${POLICIES}/${id}`)
    assert.equal(summarize(byIdentity), '409 CAN_NOT_DELETE_REFERENCED_ENTITY authPolicyId')
    assert.ok(byIdentity.json.error.cause.reason.includes(identity.id))
    const move = { authPolicyId: 'default' }
    assert.equal(summarize(await app.admin('PATCH', `/edge/management/v1/identities/${identity.id}`, move)), '200')
    const bySigner = await app.admin('DELETE', `${POLICIES}/${id}`)
    assert.equal(summarize(bySigner), '409 CAN_NOT_DELETE_REFERENCED_ENTITY enrollAuthPolicyId')
    assert.ok(bySigner.json.error.cause.reason.includes(signer))
    assert.equal(summarize(await app.admin('DELETE', `${SIGNERS}/${signer}`)), '200')
    assert.equal(summarize(await app.admin('DELETE', `${POLICIES}/${id}`)), '200')
  })

  await t.test(
    'W-52 D31 the default policy allows everything but expired certificates, can be changed, and never deleted',
    async () => {
      const { id, name, primary, secondary } = await policyOf(app, 'default')
      const { primary: open } = policyBody()
      const extJwt = { ...open.extJwt, ...NO_REQUIREMENTS }
      assert.deepEqual(
        { id, name, primary, secondary },
        {
          ...{ id: 'default', name: 'Default', secondary: NO_SECONDARY },
          primary: { ...open, extJwt, passkey: { allowed: false } },
        },
      )
      assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/default`, { tags: { a: 'b' } })), '200')
      const put = { ...policyBody({ updb: { minPasswordLength: 6 } }), name: 'Default' }
      assert.equal(summarize(await app.admin('PUT', `${POLICIES}/default`, put)), '200')
      assert.equal((await policyOf(app, 'default')).primary.updb.minPasswordLength, 6)
      assert.equal(
        summarize(await app.admin('DELETE', `${POLICIES}/default`)),
        '409 CAN_NOT_DELETE_REFERENCED_ENTITY authPolicyId',
      )
      assert.equal(summarize(await app.admin('GET', `${POLICIES}/default`)), '200')
    },
  )

  await t.test(
    'D36 a refusal that names many users of a policy is cut off at the length limit of an error value',
    async () => {
      const id = await createPolicy(app)
      for (let made = 0; made < 8; made++) await createIdentity(app, { authPolicyId: id })
      const { json } = await app.admin('DELETE', `${POLICIES}/${id}`)
      assert.equal(json.error.code, 'CAN_NOT_DELETE_REFERENCED_ENTITY')
      assert.equal([...json.error.cause.value].length, 129, 'with an ellipsis')
    },
  )

  await t.test('W-53 numbers below their minimum are raised to the minimum', async () => {
    const low = { minPasswordLength: -1, maxAttempts: -5, lockoutDurationMinutes: -9 }
    const raised = { minPasswordLength: 5, maxAttempts: 0, lockoutDurationMinutes: 0 }
    const numbersOf = async (id: string) => {
      const { minPasswordLength, maxAttempts, lockoutDurationMinutes } = (await policyOf(app, id)).primary.updb
      return { minPasswordLength, maxAttempts, lockoutDurationMinutes }
    }
    const id = await createPolicy(app, { updb: low })
    assert.deepEqual(await numbersOf(id), raised)
    const high = { minPasswordLength: 50, maxAttempts: 4, lockoutDurationMinutes: 3 }
    assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/${id}`, { primary: { updb: high } })), '200')
    assert.deepEqual(await numbersOf(id), high)
    assert.equal(summarize(await app.admin('PATCH', `${POLICIES}/${id}`, { primary: { updb: low } })), '200')
    assert.deepEqual(await numbersOf(id), raised)
    assert.equal(
      summarize(await app.admin('PATCH', `${POLICIES}/${id}`, { primary: { updb: { minPasswordLength: 101 } } })),
      '400 COULD_NOT_VALIDATE primary.updb.minPasswordLength',
      'passwords have at most 100 characters',
    )
  })

  await t.test('names must be unique and not empty in every write', async () => {
    await createPolicy(app, { name: 'taken' })
    const id = await createPolicy(app)
    for (const name of ['taken', '', '  ', 'zero\u200bwidth']) {
      for (const [method, path] of [
        ['POST', POLICIES],
        ['PUT', `${POLICIES}/${id}`],
        ['PATCH', `${POLICIES}/${id}`],
      ]) {
        const body = method === 'PATCH' ? { name } : policyBody({ name })
        assert.equal(
          summarize(await app.admin(method ?? '', path ?? '', body)),
          '400 COULD_NOT_VALIDATE name',
          `${method} ${name}`,
        )
      }
    }
    const duplicate = await app.admin('POST', POLICIES, policyBody({ name: 'taken' }))
    assert.equal(duplicate.json.error.cause.reason, 'name must be unique')
    assert.equal(summarize(await app.admin('POST', POLICIES, policyBody({ name: 'Taken' }))), '201')
  })

  await t.test(
    'POST and PUT need every member but the second signer and the tags, in the order of the document',
    async () => {
      const id = await createPolicy(app)
      const paths = [
        'name',
        'primary',
        'primary.cert',
        'primary.cert.allowExpiredCerts',
        'primary.cert.allowed',
        'primary.extJwt',
        'primary.extJwt.allowed',
        'primary.extJwt.allowedSigners',
        'primary.updb',
        'primary.updb.allowed',
        'primary.updb.lockoutDurationMinutes',
        'primary.updb.maxAttempts',
        'primary.updb.minPasswordLength',
        'primary.updb.requireMixedCase',
        'primary.updb.requireNumberChar',
        'primary.updb.requireSpecialChar',
        'secondary',
        'secondary.requireTotp',
      ]
      for (const path of paths) {
        for (const value of [undefined, null]) {
          const body = withMember(policyBody(), path, value)
          assert.equal(summarize(await app.admin('POST', POLICIES, body)), `400 COULD_NOT_VALIDATE ${path}`)
          assert.equal(summarize(await app.admin('PUT', `${POLICIES}/${id}`, body)), `400 COULD_NOT_VALIDATE ${path}`)
        }
      }
      const withoutList = await app.admin(
        'POST',
        POLICIES,
        withMember(policyBody(), 'primary.extJwt.allowedSigners', null),
      )
      assert.equal(withoutList.json.error.cause.value, '[]')
      const empty = await app.admin('POST', POLICIES, {})
      assert.equal(empty.json.error.cause.field, 'name', 'the first missing member is named')
    },
  )

  await t.test('policies are listed with their signers, and filtered by their leaves', async () => {
    const signers = [await create(app), await create(app)].sort()
    const id = await createPolicy(app, {
      extJwt: { allowedSigners: [...signers].reverse() },
      updb: { maxAttempts: 77, requireNumberChar: true },
    })
    const filter = encodeURIComponent('primary.updb.maxAttempts = 77 and primary.updb.requireNumberChar = true')
    const list = await app.admin('GET', `${POLICIES}?filter=${filter}`)
    assert.equal(list.json.meta.pagination.totalCount, 1)
    assert.deepEqual(list.json.data, [await policyOf(app, id)])
    assert.deepEqual(list.json.data[0].primary.extJwt.allowedSigners, signers)
    assert.equal(
      summarize(await app.admin('GET', `${POLICIES}?filter=primary.updb.lockoutDurationMinutes=1`)),
      '400 INVALID_FILTER',
    )
  })
})

function leavesOf(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || path === 'tags') return { [path]: value }
  const members = Object.entries(value).filter(([name]) => name !== '_links' && name !== 'updatedAt')
  return Object.assign({}, ...members.map(([name, member]) => leavesOf(member, path === '' ? name : `${path}.${name}`)))
}

function withMember(body: object, path: string, value: unknown): object {
  const [first = '', ...rest] = path.split('.')
  const inner = rest.length === 0 ? value : withMember(body[first as never], rest.join('.'), value)
  return { ...body, [first]: inner }
}
