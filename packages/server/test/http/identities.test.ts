import assert from 'node:assert/strict'
import { createPolicy } from './auth-policies.fixture.ts'
import { changed, summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  createIdentity,
  createPassword,
  defaultAdminId,
  IDENTITIES,
  identityBody,
  identityOf,
  OWN_SESSION,
} from './identities.fixture.ts'

const MINUTE = 60_000

/** The closed list of an existing controller. */
const EXISTING_PERMISSIONS = [
  ...['admin_readonly', 'ops', 'ops.read', 'ops.update', 'ops.delete'],
  ...[
    ...['auth-policy', 'ca', 'config', 'config-type', 'edge-router-policy', 'enrollment', 'external-jwt-signer'],
    ...['identity', 'posture-check', 'router', 'service', 'service-edge-router-policy', 'service-policy', 'terminator'],
  ].flatMap((name) => [name, ...['read', 'create', 'update', 'delete'].map((action) => `${name}.${action}`)]),
]

testWithApp('identities', async (t, app) => {
  await t.test('an identity is created, shown in full, replaced, deleted, and then gone', async () => {
    const policy = await createPolicy(app)
    const body = identityBody({
      externalId: 'alice@corp.example',
      authPolicyId: policy,
      roleAttributes: ['ops', 'dev', 'ops'],
      appData: { k: 'v' },
      tags: { t: '1' },
      permissions: ['identity.read'],
      defaultHostingCost: 5,
    })
    const made = await app.admin('POST', IDENTITIES, body)
    const { id } = made.json.data
    assert.deepEqual(
      [made.status, made.json],
      [201, { data: { _links: { self: { href: `./identities/${id}` } }, id }, meta: {} }],
    )
    const { _links, createdAt, updatedAt, authPolicy, ...shown } = await identityOf(app, id)
    assert.deepEqual(_links.authenticators, { href: `./identities/${id}/authenticators` })
    assert.deepEqual(_links['auth-policies'], { href: `./auth-policies/${policy}` })
    assert.equal(Object.keys(_links).length, 11)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual([authPolicy.id, authPolicy.entity], [policy, 'auth-policies'])
    const type = {
      _links: { self: { href: './identity-types/Default' } },
      entity: 'identity-types',
      id: 'Default',
      name: 'Default',
    }
    assert.deepEqual(shown, {
      id,
      tags: { t: '1' },
      name: body.name,
      type,
      typeId: 'Default',
      isAdmin: false,
      isDefaultAdmin: false,
      isMfaEnabled: false,
      externalId: 'alice@corp.example',
      attributes: ['dev', 'ops'],
      roleAttributes: ['dev', 'ops'],
      attributeOrigins: ['dev', 'ops'].map((attribute) => ({ attribute, origin: 'manual' })),
      authPolicyId: policy,
      disabled: false,
      expiresAt: null,
      lastLoginAt: null,
      lastLoginMethod: null,
      linkedSigners: [],
      authenticators: {},
      enrollment: {},
      envInfo: {},
      sdkInfo: {},
      appData: { k: 'v' },
      interfaces: null,
      permissions: ['identity.read'],
      defaultHostingCost: 5,
      defaultHostingPrecedence: 'default',
      serviceHostingCosts: {},
      serviceHostingPrecedences: {},
      edgeRouterConnectionStatus: 'offline',
      hasApiSession: false,
      hasEdgeRouterConnection: false,
    })

    assert.equal(summarize(await app.admin('PUT', `${IDENTITIES}/${id}`, identityBody({ type: 'User' }))), '200')
    const { externalId, roleAttributes, permissions, tags, authPolicyId, typeId } = await identityOf(app, id)
    assert.deepEqual(
      { externalId, roleAttributes, permissions, tags, authPolicyId, typeId },
      { externalId: null, roleAttributes: [], permissions: null, tags: {}, authPolicyId: 'default', typeId: 'Default' },
      'a PUT resets omitted members to their defaults',
    )
    assert.deepEqual((await app.admin('DELETE', `${IDENTITIES}/${id}`)).json, { data: {}, meta: {} })
    const calls = [['GET'], ['PUT', identityBody()], ['PATCH', { name: 'x' }], ['DELETE']] as const
    for (const [method, sent] of calls) {
      const reply = await app.admin(method, `${IDENTITIES}/${id}`, sent)
      assert.equal(summarize(reply), '404 NOT_FOUND', method)
      assert.equal(reply.json.error.cause.message, `identity with id ${id} not found`)
    }
  })

  await t.test('PATCH changes the given members and nothing else; null means omitted', async () => {
    const policy = await createPolicy(app)
    const id = await createIdentity(app, {
      externalId: 'patched',
      roleAttributes: ['a'],
      tags: { x: 1 },
      permissions: ['identity'],
    })
    const patches: readonly [object, string[]][] = [
      [{ name: 'identity-patched' }, ['name']],
      [{ externalId: 'patched-2' }, ['externalId']],
      [{ externalId: '' }, ['externalId']],
      [{ roleAttributes: ['b', 'a'] }, ['attributeOrigins', 'attributes', 'roleAttributes']],
      [{ attributes: [] }, ['attributeOrigins', 'attributes', 'roleAttributes']],
      [{ expiresAt: '2100-01-01T00:00:00Z' }, ['expiresAt']],
      [{ expiresAt: null }, ['expiresAt']],
      [{ permissions: ['admin_readonly'] }, ['permissions']],
      [{ tags: {} }, ['tags']],
      [{ appData: { a: true } }, ['appData']],
      [{ authPolicyId: policy }, ['_links', 'authPolicy', 'authPolicyId']],
      [{ isAdmin: true }, ['isAdmin']],
      [{ type: 'Device' }, []],
      [{ name: null, externalId: null, roleAttributes: null, permissions: null, tags: null, isAdmin: null }, []],
      [{}, []],
      [{ id: 'other', isDefaultAdmin: true, disabled: true, createdAt: '2000-01-01T00:00:00.000Z' }, []],
    ]
    for (const [patch, members] of patches) {
      const before = await identityOf(app, id)
      assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, patch)), '200', JSON.stringify(patch))
      const differing = changed(before, await identityOf(app, id)).filter((member) => member !== 'updatedAt')
      assert.deepEqual(differing, members, JSON.stringify(patch))
    }
  })

  await t.test('D61 permissions of existing controllers are stored and shown', async () => {
    const permissions = EXISTING_PERMISSIONS.toSorted()
    assert.equal(permissions.length, 75)
    const id = await createIdentity(app, { permissions: [...permissions, 'revocation'] })
    assert.deepEqual((await identityOf(app, id)).permissions, [...permissions, 'revocation'].toSorted())
    const others = ['admin', 'authenticated', 'authenticator', 'authenticator.read', 'session', 'api-session.delete']
    for (const permission of [
      ...others,
      'controllers',
      'controllers.read',
      'controller',
      'revocation.read',
      'ops.create',
    ]) {
      const refused = await app.admin('PATCH', `${IDENTITIES}/${id}`, { permissions: [permission] })
      assert.equal(summarize(refused), '400 COULD_NOT_VALIDATE permissions.0', permission)
    }
  })

  await t.test('D20 attributes and roleAttributes are one member under two names', async () => {
    const id = await createIdentity(app, { attributes: ['initial'] })
    const both = { attributes: ['x', 'y'], roleAttributes: ['x', 'y'] }
    assert.deepEqual((await identityOf(app, id)).roleAttributes, ['initial'])
    assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, both)), '200')
    const unlike = { attributes: ['x'], roleAttributes: ['y'] }
    assert.equal(
      summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, unlike)),
      '400 COULD_NOT_VALIDATE attributes',
    )
    const { attributes, roleAttributes } = await identityOf(app, id)
    for (const edited of [
      { attributes, roleAttributes: ['z'] },
      { attributes: ['y', 'x'], roleAttributes: ['z'] },
    ]) {
      const reply = await app.admin('PATCH', `${IDENTITIES}/${id}`, edited)
      assert.equal(summarize(reply), '200', 'a whole detail sent back with one of them changed')
    }
    assert.deepEqual((await identityOf(app, id)).attributes, ['x', 'y'], 'the changed one wins')
    assert.deepEqual([attributes, roleAttributes], [both.attributes, both.roleAttributes])
    const found = await app.admin('GET', `${IDENTITIES}?filter=${encodeURIComponent('anyOf(attributes) = "y"')}`)
    assert.deepEqual(
      found.json.data.map((identity: { id: string }) => identity.id),
      [id],
    )
  })

  await t.test('invalid values are refused with the field in every write', async () => {
    await createIdentity(app, { name: 'name-taken', externalId: 'id-taken' })
    const id = await createIdentity(app)
    const bad: readonly [object, string][] = [
      [{ name: 'name-taken' }, '400 COULD_NOT_VALIDATE name'],
      [{ name: '' }, '400 COULD_NOT_VALIDATE name'],
      [{ name: ' ' }, '400 COULD_NOT_VALIDATE name'],
      [{ name: 'bidi\u202e' }, '400 COULD_NOT_VALIDATE name'],
      [{ externalId: 'id-taken' }, '400 COULD_NOT_VALIDATE externalId'],
      [{ type: 'Nonsense' }, '400 COULD_NOT_VALIDATE type'],
      [{ roleAttributes: ['#x'] }, '400 COULD_NOT_VALIDATE roleAttributes'],
      [{ roleAttributes: ['@x'] }, '400 COULD_NOT_VALIDATE roleAttributes'],
      [{ roleAttributes: [''] }, '400 COULD_NOT_VALIDATE roleAttributes'],
      [{ permissions: ['admin'] }, '400 COULD_NOT_VALIDATE permissions.0'],
      [{ permissions: ['identity', 'nonsense'] }, '400 COULD_NOT_VALIDATE permissions.1'],
      [{ permissions: ['ops.create'] }, '400 COULD_NOT_VALIDATE permissions.0'],
      [{ authPolicyId: 'none' }, '404 NOT_FOUND'],
      [{ serviceHostingCosts: { 'no-such-service': 5 } }, '404 NOT_FOUND'],
      [{ isAdmin: 'yes' }, '400 COULD_NOT_PARSE_BODY'],
    ]
    for (const [members, expected] of bad) {
      const text = JSON.stringify(members)
      assert.equal(summarize(await app.admin('POST', IDENTITIES, identityBody({ ...members }))), expected, text)
      assert.equal(
        summarize(await app.admin('PUT', `${IDENTITIES}/${id}`, identityBody({ ...members }))),
        expected,
        text,
      )
      assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, members)), expected, text)
    }
    for (const member of ['name', 'type', 'isAdmin']) {
      const body = identityBody({ [member]: null })
      assert.equal(summarize(await app.admin('POST', IDENTITIES, body)), `400 COULD_NOT_VALIDATE ${member}`)
      assert.equal(summarize(await app.admin('PUT', `${IDENTITIES}/${id}`, body)), `400 COULD_NOT_VALIDATE ${member}`)
    }
    const duplicate = await app.admin('POST', IDENTITIES, identityBody({ externalId: 'id-taken' }))
    assert.deepEqual(duplicate.json.error.cause, {
      field: 'externalId',
      reason: "duplicate value 'id-taken' in unique index on identities store",
      value: 'id-taken',
    })
    assert.equal(summarize(await app.admin('PUT', `${IDENTITIES}/${id}`, identityBody())), '200')
  })

  await t.test(
    'L-03 S1-8 L-04 L-05 externalIds that look alike are different, and each finds its own identity',
    async () => {
      const lookalikes = [
        'Bob@x',
        'bob@x',
        'bob@x ',
        ' bob@x',
        'caf\u00e9',
        'cafe\u0301',
        'k',
        'K',
        '\u212a',
        'i',
        '\u0131',
        '\u0130',
        '\uff42ob',
        'stra\u00dfe',
        'strasse',
      ]
      const ids = new Map<string, string>()
      for (const externalId of lookalikes) ids.set(externalId, await createIdentity(app, { externalId }))
      for (const [externalId, id] of ids) {
        const filter = encodeURIComponent(`externalId = ${JSON.stringify(externalId)}`)
        const found = await app.admin('GET', `${IDENTITIES}?filter=${filter}`)
        assert.deepEqual(
          found.json.data.map((identity: { id: string }) => identity.id),
          [id],
          JSON.stringify(externalId),
        )
        assert.equal((await identityOf(app, id)).externalId, externalId)
        const again = await app.admin('POST', IDENTITIES, identityBody({ externalId }))
        assert.equal(summarize(again), '400 COULD_NOT_VALIDATE externalId')
      }
      for (const invisible of ['bob\u200d', '\u202ebob', 'bob\u200b', 'bob\n', 'bob\ufeff']) {
        const reply = await app.admin('POST', IDENTITIES, identityBody({ externalId: invisible }))
        assert.equal(summarize(reply), '400 COULD_NOT_VALIDATE externalId', JSON.stringify(invisible))
      }
    },
  )

  await t.test('L-06 any number of identities have no externalId, and an empty one finds none', async () => {
    const without = [{}, { externalId: null }, { externalId: '' }, { externalId: '  ' }]
    for (const members of without)
      assert.equal((await identityOf(app, await createIdentity(app, members))).externalId, null)
    assert.equal((await app.admin('GET', `${IDENTITIES}?filter=externalId=""`)).json.meta.pagination.totalCount, 0)
    assert.ok((await app.admin('GET', `${IDENTITIES}?filter=externalId=null`)).json.meta.pagination.totalCount >= 4)
    const id = await createIdentity(app, { externalId: 'released' })
    assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, { externalId: '' })), '200')
    await createIdentity(app, { externalId: 'released' })
  })

  await t.test('one of many concurrent writes with one externalId succeeds', async () => {
    const racers = Array.from({ length: 10 }, () =>
      app.admin('POST', IDENTITIES, identityBody({ externalId: 'raced' })),
    )
    const results = (await Promise.all(racers)).map(summarize).toSorted()
    assert.deepEqual(results, ['201', ...Array(9).fill('400 COULD_NOT_VALIDATE externalId')])
  })

  await t.test('I-04 disabling ends the sessions for good; after enabling the identity can log in again', async () => {
    const id = await createIdentity(app)
    const { username, password } = await createPassword(app, id)
    const logIn = () => app.call('POST', '/edge/client/v1/authenticate?method=password', { username, password })
    const session = await app.logIn(username, password)
    assert.equal((await identityOf(app, id)).hasApiSession, true)

    const disabled = await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })
    assert.deepEqual([disabled.status, disabled.json], [200, { data: {}, meta: {} }])
    const shown = await identityOf(app, id)
    assert.deepEqual([shown.disabled, 'disabledAt' in shown, 'disabledUntil' in shown], [true, true, false])
    assert.equal(shown.hasApiSession, false)
    assert.equal(summarize(await app.call('GET', OWN_SESSION, undefined, { session })), '401 UNAUTHORIZED')
    assert.equal(summarize(await logIn()), '401 INVALID_AUTH')

    assert.equal(summarize(await app.admin('PUT', `${IDENTITIES}/${id}`, identityBody())), '200')
    assert.equal((await identityOf(app, id)).disabled, true, 'a PUT does not enable it')

    const enabled = await app.admin('POST', `${IDENTITIES}/${id}/enable`)
    assert.deepEqual([enabled.status, enabled.json], [200, { data: {}, meta: {} }])
    const again = await identityOf(app, id)
    assert.deepEqual([again.disabled, 'disabledAt' in again], [false, false])
    assert.equal(summarize(await app.call('GET', OWN_SESSION, undefined, { session })), '401 UNAUTHORIZED')
    assert.equal(summarize(await logIn()), '200')
  })

  await t.test('I-04 deleting an identity ends its sessions at the next call', async () => {
    const { id, session } = await app.makeIdentity()
    assert.equal(summarize(await app.call('GET', OWN_SESSION, undefined, { session })), '200')
    assert.equal(summarize(await app.admin('DELETE', `${IDENTITIES}/${id}`)), '200')
    assert.equal(summarize(await app.call('GET', OWN_SESSION, undefined, { session })), '401 UNAUTHORIZED')
  })

  await t.test('disabling needs a whole number of minutes and an existing identity', async () => {
    const id = await createIdentity(app)
    const disable = (body?: unknown, of = id) => app.admin('POST', `${IDENTITIES}/${of}/disable`, body)
    assert.equal(summarize(await disable()), '400 COULD_NOT_VALIDATE disable')
    assert.equal(summarize(await disable({})), '400 COULD_NOT_VALIDATE durationMinutes')
    assert.equal(summarize(await disable({ durationMinutes: -1 })), '400 COULD_NOT_VALIDATE durationMinutes')
    assert.equal(summarize(await disable({ durationMinutes: 1.5 })), '400 COULD_NOT_PARSE_BODY')
    assert.equal(summarize(await disable({ durationMinutes: 1 }, 'none')), '404 NOT_FOUND')
    assert.equal(summarize(await app.admin('POST', `${IDENTITIES}/none/enable`, {})), '404 NOT_FOUND')
    assert.equal((await identityOf(app, id)).disabled, false)
    assert.equal(summarize(await disable({ durationMinutes: 1 })), '200')
  })

  await t.test('I-05 a disabled identity works again once the time is over', async () => {
    const id = await createIdentity(app)
    const { username, password } = await createPassword(app, id)
    const logIn = () => app.call('POST', '/edge/client/v1/authenticate?method=password', { username, password })
    assert.equal(summarize(await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 5 })), '200')
    app.clock.advance(4 * MINUTE)
    assert.equal(summarize(await logIn()), '401 INVALID_AUTH')
    assert.equal((await identityOf(app, id)).disabled, true)
    app.clock.advance(MINUTE + 1)
    assert.equal(summarize(await logIn()), '200')
    const shown = await identityOf(app, id)
    assert.deepEqual([shown.disabled, 'disabledAt' in shown, 'disabledUntil' in shown], [false, true, true])
  })

  await t.test('D35 the default administrator cannot be deleted or demoted', async () => {
    const id = await defaultAdminId(app)
    const { name } = await identityOf(app, id)
    assert.equal(summarize(await app.admin('DELETE', `${IDENTITIES}/${id}`)), '400 ENTITY_CAN_NOT_BE_DELETED')
    assert.equal(
      summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, { isAdmin: false })),
      '400 ENTITY_CAN_NOT_BE_UPDATED',
    )
    const put = (isAdmin: boolean) => app.admin('PUT', `${IDENTITIES}/${id}`, { name, type: 'Default', isAdmin })
    assert.equal(summarize(await put(false)), '400 ENTITY_CAN_NOT_BE_UPDATED')
    assert.equal(summarize(await put(true)), '200')
    assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, { tags: { a: 'b' } })), '200')
  })
})
