import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from './build-app.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { createIdentity, createPassword, IDENTITIES } from './identities.fixture.ts'

const ATTRIBUTES = '/edge/management/v1/identity-role-attributes'

test('identity lists', async (t) => {
  const app = await buildApp(t)
  const both = await createIdentity(app, { attributes: ['sales', 'north'] })
  const sales = await createIdentity(app, { roleAttributes: ['sales'] })
  const none = await createIdentity(app)

  const found = async (query: string): Promise<string[]> => {
    const reply = await app.admin('GET', `${IDENTITIES}?limit=100&${query}`)
    assert.equal(reply.status, 200, reply.text)
    const ids = reply.json.data.map(({ id }: { id: string }) => id)
    assert.equal(reply.json.meta.pagination.totalCount, ids.length)
    return ids.toSorted()
  }
  const role = (...roles: string[]) => roles.map((name) => `roleFilter=${encodeURIComponent(name)}`).join('&')

  await t.test('roleFilter matches all or any attributes, and identities by id', async () => {
    assert.deepEqual(await found(role('#sales')), [both, sales].toSorted())
    assert.deepEqual(await found(role('#sales', '#north')), [both])
    assert.deepEqual(await found(`${role('#sales', '#north')}&roleSemantic=AllOf`), [both])
    assert.deepEqual(await found(`${role('#sales', '#north')}&roleSemantic=AnyOf`), [both, sales].toSorted())
    assert.deepEqual(await found(role(`@${none}`)), [none])
    assert.deepEqual(await found(role('#north', `@${none}`)), [both, none].toSorted())
    assert.deepEqual(await found(role('#all')), [])
    const filter = encodeURIComponent(`not anyOf(attributes) = "north"`)
    assert.deepEqual(await found(`${role('#sales')}&filter=${filter}`), [sales])
  })

  await t.test('an invalid role and an invalid semantic are refused', async () => {
    const refused = async (query: string) => summarize(await app.admin('GET', `${IDENTITIES}?${query}`))
    const many = role(...Array.from({ length: 101 }, () => '#a'))
    for (const query of [role('sales'), role('#'), role('@'), many]) {
      assert.equal(await refused(query), '400 COULD_NOT_VALIDATE roleFilter', query)
    }
    assert.equal(await refused(`${role('#sales')}&roleSemantic=Some`), '400 COULD_NOT_VALIDATE roleSemantic')
    assert.equal((await app.admin('GET', `${IDENTITIES}?${role('')}`)).status, 200)
  })

  await t.test('the attributes of all identities are listed once each, and can be paged and filtered', async () => {
    const list = async (query = '') => (await app.admin('GET', ATTRIBUTES + query)).json
    const { data, meta } = await list()
    assert.deepEqual(data, ['north', 'sales'])
    assert.deepEqual(meta, { filterableFields: ['id'], pagination: { limit: -1, offset: 0, totalCount: 2 } })
    assert.deepEqual((await list('?limit=1&offset=1')).data, ['sales'])
    assert.deepEqual((await list('?sort=id%20desc&limit=1')).data, ['sales'])
    const filtered = await list(`?filter=${encodeURIComponent('id contains "a"')}`)
    assert.deepEqual([filtered.data, filtered.meta.pagination.totalCount], [['sales'], 1])
  })

  await t.test('attributes are complete and in order also where they are read in parts', async () => {
    const some = await Promise.all(
      Array.from({ length: 7 }, (_, nth) =>
        createIdentity(app, { attributes: Array.from({ length: 100 }, (__, n) => `part ${nth}-${n}`) }),
      ),
    )
    const list = async (query: Record<string, string>) =>
      (await app.admin('GET', `${ATTRIBUTES}?${new URLSearchParams(query)}`)).json
    const parts = some.flatMap((_, nth) => Array.from({ length: 100 }, (__, n) => `part ${nth}-${n}`)).sort()
    const all = ['north', ...parts, 'sales']
    assert.deepEqual((await list({})).data, all)
    assert.deepEqual((await list({ offset: '3' })).data, all.slice(3))
    assert.deepEqual((await list({ offset: '3', limit: '500' })).data, all.slice(3, 503))
    assert.deepEqual((await list({ sort: 'id desc', limit: 'none' })).data, all.toReversed())
    const filtered = await list({ filter: 'id contains "-7"' })
    const sevens = parts.filter((name) => name.includes('-7'))
    assert.deepEqual([filtered.data, filtered.meta.pagination.totalCount], [sevens, sevens.length])
    for (const id of some) await app.admin('DELETE', `${IDENTITIES}/${id}`)
  })

  await t.test('the total count of identities is right after every change', async () => {
    const total = async (path = IDENTITIES) => (await app.admin('GET', path)).json.meta.pagination.totalCount
    const counted = async () => (await found('filter=true')).length
    const [identities, authenticators] = [await total(), await total('/edge/management/v1/authenticators')]
    assert.equal(identities, await counted())
    const id = await createIdentity(app)
    await createPassword(app, id)
    assert.equal(
      summarize(await app.admin('POST', IDENTITIES, { name: '', type: 'User', isAdmin: false })).slice(0, 3),
      '400',
    )
    assert.equal(await total(), identities + 1)
    assert.equal(await total('/edge/management/v1/authenticators'), authenticators + 1)
    await app.admin('DELETE', `${IDENTITIES}/${id}`)
    assert.equal(await total(), identities)
    assert.equal(
      await total('/edge/management/v1/authenticators'),
      authenticators,
      'authenticators are deleted with their identity',
    )
    assert.equal(await total(), await counted())
  })
})

test('identities are filtered by state, authenticators, enrollments and their expiry', async (t) => {
  const app = await buildApp(t)
  const attributes = ['listed']
  const plain = await createIdentity(app, { attributes })
  const off = await createIdentity(app, { attributes })
  const paused = await createIdentity(app, { attributes })
  const invited = await createIdentity(app, { attributes, enrollment: { ott: true } })
  const withPassword = await createIdentity(app, { attributes })
  await createPassword(app, withPassword)
  await app.admin('POST', `${IDENTITIES}/${off}/disable`, { durationMinutes: 0 })
  await app.admin('POST', `${IDENTITIES}/${paused}/disable`, { durationMinutes: 30 })
  const list = (filter: string, session = app.adminSession) => {
    const query = new URLSearchParams({ filter: `anyOf(attributes) = "listed" and (${filter})` })
    return app.call('GET', `${IDENTITIES}?${query}`, undefined, { session })
  }
  const found = async (filter: string) => {
    const reply = await list(filter)
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.map(({ id }: { id: string }) => id).toSorted()
  }
  const at = (minutes: number) => `datetime(${new Date(app.clock.now() + minutes * 60_000).toISOString()})`
  const disabled = (minutes: number) =>
    `disabledAt != null and (disabledUntil = null or disabledUntil > ${at(minutes)})`
  assert.deepEqual(await found(disabled(0)), [off, paused].toSorted())
  assert.deepEqual(await found(disabled(31)), [off])
  assert.deepEqual(await found('disabledAt = null'), [plain, invited, withPassword].toSorted())
  assert.deepEqual(await found('isEmpty(authenticators) and disabledAt = null'), [plain, invited].toSorted())
  assert.deepEqual(await found('anyOf(authenticators) = "updb"'), [withPassword])
  assert.deepEqual(await found('anyOf(authenticators) = "cert"'), [])
  assert.deepEqual(await found('anyOf(enrollments) = "ott"'), [invited])
  assert.deepEqual(await found(`enrollmentExpiresAt > ${at(0)}`), [invited])
  assert.deepEqual(await found(`enrollmentExpiresAt <= ${at(0)}`), [])

  // Others do not see which privileged identities have enrollments.
  const reader = await app.makeIdentity({ permissions: ['identity.read'] })
  for (const filter of ['anyOf(enrollments) = "ott"', 'enrollmentExpiresAt != null']) {
    assert.equal(summarize(await list(filter, reader.session)), '400 INVALID_FILTER', filter)
  }
  assert.equal((await list('anyOf(authenticators) = "updb"', reader.session)).status, 200)
})
