import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import { listTurn } from '../../src/http/pipeline/list-turns.ts'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { buildApp, type TestApp } from '../http/build-app.ts'
import { leastBusyShare } from './busy-share.ts'

const IDENTITIES = '/edge/management/v1/identities'
const ATTRIBUTES = '/edge/management/v1/identity-role-attributes'
const ROWS = 2_000

const anyOf = (count: number, term: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => term(n)).join(' or ')
const listOf = (filter: string) => `${IDENTITIES}?${new URLSearchParams({ filter })}`

async function setUp(t: TestContext, roleAttributes: string[] = []) {
  const app = await buildApp(t)
  const meta = { actorId: 'system', now: app.clock.now() }
  await Promise.all(
    Array.from({ length: ROWS }, (_, n) => {
      const body = { name: `a name of some length ${n}`, type: 'Default', isAdmin: false, roleAttributes } as const
      return app.store.run(createIdentity, { id: newId(), body }, meta)
    }),
  )
  return app
}

const SESSIONS = 800

function openSession({ store, clock }: TestApp, identityId: string) {
  const now = clock.now()
  const life = { expiresAt: now + 3_600_000, endsAt: now + 3_600_000, maxPerIdentity: 1_000 }
  const client = { ipAddress: '', configTypes: [], envInfo: undefined, sdkInfo: undefined }
  const login = { method: 'password', authenticatorId: newId() } as const
  const session = { id: newId(), tokenDigest: newId(), identityId, ...login, ...life, ...client }
  return store.run(createApiSession, session, { actorId: identityId, now })
}

describe('filters that cost much', () => {
  test('M-16 one over the budget is refused with the budget in words, and one within it is not', async (t) => {
    const app = await buildApp(t)
    const refused = await app.admin('GET', listOf(anyOf(340, (n) => `id icontains "x${n}"`)))
    assert.deepEqual([refused.status, refused.json.error.code], [400, 'INVALID_FILTER'])
    assert.match(
      refused.json.error.cause.message,
      /at most 500 are allowed: a comparison costs 1, contains and icontains 10/,
    )
    const accepted = await app.admin('GET', listOf(anyOf(50, (n) => `id icontains "x${n}"`)))
    assert.equal(accepted.status, 200, accepted.text)
  })

  test('M-16 one within the budget runs beside the serving thread, with the same result', async (t) => {
    const app = await setUp(t)
    const filter = `${anyOf(49, (n) => `name icontains "x${n}"`)} or name contains "length 1999"`
    // Starts the thread.
    await app.admin('GET', listOf('name contains "nothing"'))
    let found: string[] = []
    const share = await leastBusyShare(async () => {
      const { json } = await app.admin('GET', listOf(filter))
      found = json.data.map(({ name }: { name: string }) => name)
    })
    assert.deepEqual(found, ['a name of some length 1999'])
    assert.ok(share < 1 / 2, `the thread was busy for ${share} of the time`)
  })

  test('M-16 the rows of a page of many roles are found beside the serving thread too', async (t) => {
    const app = await setUp(t, ['everyone'])
    const list = (roles: number, limit: number) => {
      const filter = Array.from({ length: roles }, () => 'roleFilter=%23everyone').join('&')
      return app.admin('GET', `${IDENTITIES}?limit=${limit}&${filter}`)
    }
    await list(1, 1)
    for (const limit of [10, 60]) {
      const share = await leastBusyShare(async () => {
        const { status, json } = await list(30, limit)
        assert.deepEqual([status, json.data.length], [200, limit])
      })
      assert.ok(share < 1 / 6, `with limit ${limit} the thread was busy for ${share} of the time`)
    }
  })

  test('M-16 a list without limit is filtered beside the serving thread too', async (t) => {
    const app = await setUp(t)
    await app.admin('GET', listOf('name contains "nothing"'))
    const filter = `${anyOf(49, (n) => `name icontains "x${n}"`)} or name contains "length 199" limit none`
    let reply = { json: { data: [], meta: { pagination: { totalCount: 0 } } } }
    const share = await leastBusyShare(async () => {
      reply = await app.admin('GET', listOf(filter))
    })
    assert.deepEqual([reply.json.data.length, reply.json.meta.pagination.totalCount], [11, 11])
    assert.ok(share < 1 / 2, `the thread was busy for ${share} of the time`)
  })

  test('M-16 many large lists of one caller leave others their turns of the event loop', async (t) => {
    const app = await setUp(t)
    for (const query of ['limit=500&sort=id', 'limit=none&sort=id']) {
      const share = await leastBusyShare(() =>
        Promise.all(
          Array.from({ length: 12 }, async () => {
            const { status } = await app.admin('GET', `${IDENTITIES}?${query}`)
            assert.equal(status, 200)
          }),
        ),
      )
      assert.ok(share < 1 / 4, `${query}: the thread was busy with one turn for ${share} of the time`)
    }
  })

  const OWN_SESSIONS = '/edge/client/v1/current-identity/api-sessions'
  const SERVICES = '/edge/client/v1/services'
  const SIGNERS = '/edge/client/v1/external-jwt-signers'
  const EQUAL = anyOf(480, (n) => `id = "${n}"`)

  for (const [list, path, filter, most] of [
    ['that an index finds', OWN_SESSIONS, EQUAL, 1 / 8],
    ['that are read beside the serving thread', OWN_SESSIONS, anyOf(480, (n) => `id != "${n}"`), 1 / 8],
    ['without limit', OWN_SESSIONS, `${EQUAL} limit none`, 1 / 8],
    ['in memory', SERVICES, EQUAL, 1 / 2],
    ['of strangers', SIGNERS, anyOf(15, () => `id in [${'"",'.repeat(149)}""]`), 1 / 2],
  ] as const) {
    test(`M-16 many lists ${list}, with long filters, leave others their turns of the event loop`, async (t) => {
      const app = await buildApp(t)
      const { session } = await app.makeIdentity()
      const url = `${path}?${new URLSearchParams({ filter })}`
      const get = () => app.call('GET', url, undefined, path === SIGNERS ? {} : { session })
      const share = await leastBusyShare(() =>
        Promise.all(
          // In all rounds fewer than a stranger may request at once.
          Array.from({ length: 30 }, async () => {
            const { status, text } = await get()
            assert.equal(status, 200, text)
          }),
        ),
      )
      assert.ok(share < most, `the thread was busy with one turn for ${share} of the time`)
    })
  }

  test('M-16 with all turns of a caller taken, its long filters wait before they are read, and those of others do not', async (t) => {
    const app = await buildApp(t)
    const [busy, other] = [await app.makeIdentity(), await app.makeIdentity()]
    const held = Promise.withResolvers<void>()
    const turn = listTurn({ caller: busy.id, sessionId: 'another', limit: 10 })
    const steps = Array.from({ length: 20 }, () => turn(() => held.promise))
    const ended: string[] = []
    const refuse = async (name: string, session: string) => {
      const { status, json } = await app.call('GET', `${SERVICES}?filter=x`, undefined, { session })
      assert.deepEqual([status, json.error.code], [400, 'INVALID_FILTER'])
      ended.push(name)
    }
    const waiting = refuse('busy', busy.session)
    await refuse('other', other.session)
    held.resolve()
    await Promise.all([...steps, waiting])
    assert.deepEqual(ended, ['other', 'busy'])
  })

  test('M-16 a list of many attributes runs beside the serving thread, and reads each attribute once or twice', async (t) => {
    const app = await buildApp(t)
    await Promise.all(
      Array.from({ length: 200 }, (_, nth) => {
        const roleAttributes = Array.from({ length: 100 }, (__, n) => `attribute ${nth}-${n}`)
        const body = { name: `identity ${nth}`, type: 'Default', isAdmin: false, roleAttributes } as const
        return app.store.run(createIdentity, { id: newId(), body }, { actorId: 'system', now: app.clock.now() })
      }),
    )
    const list = async (query: string) => (await app.admin('GET', `${ATTRIBUTES}?${query}`)).json
    // Starts the thread.
    await list('limit=1')
    const share = await leastBusyShare(() => list('limit=1'))
    assert.ok(share < 1 / 2, `the thread was busy for ${share} of the time`)
    const start = performance.now()
    assert.equal((await list('limit=1')).meta.pagination.totalCount, 20_000)
    const countMs = performance.now() - start
    assert.equal((await list('limit=none')).data.length, 20_000)
    const wholeMs = performance.now() - start - countMs
    assert.ok(wholeMs < countMs * 10, `all took ${wholeMs} ms and their number ${countMs} ms`)
  })

  test('M-16 one that computes much for the sessions of one identity runs beside the serving thread too', async (t) => {
    const app = await buildApp(t)
    const reader = await app.makeIdentity({ permissions: ['ops.read'] })
    await Promise.all(Array.from({ length: SESSIONS }, () => openSession(app, reader.id)))
    const sessionsBy = (filter: string) => {
      const path = `/edge/management/v1/api-sessions?${new URLSearchParams({ filter })}`
      return app.call('GET', path, undefined, { session: reader.session })
    }
    const own = `identity = "${reader.id}"`
    const expensive = (terms: number) => `${own} and (${anyOf(terms, () => 'mfaRequired')} or ipAddress = "x")`
    const refused = await sessionsBy(expensive(46))
    assert.deepEqual([refused.status, refused.json.error.code], [400, 'INVALID_FILTER'], 'a computed field costs 11')
    // Starts the thread.
    await sessionsBy(expensive(45))
    let reply = refused
    const share = await leastBusyShare(async () => {
      reply = await sessionsBy(expensive(45))
    })
    assert.deepEqual([reply.status, reply.json.meta.pagination.totalCount], [200, 0])
    assert.ok(share < 1 / 2, `the thread was busy for ${share} of the time`)
    const all = await sessionsBy(`${own} and (not mfaRequired or ipAddress = "x")`)
    assert.equal(all.json.meta.pagination.totalCount, SESSIONS + 1)
  })
})
