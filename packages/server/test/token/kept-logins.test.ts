import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { JsonObject } from '@countersign/core'
import { pino } from 'pino'
import { recordKeptLogins } from '../../src/operations/kept-login/record-kept-logins.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { SYSTEM_ACTOR } from '../../src/store/actor.ts'
import type { KeptLogin } from '../../src/store/kept-login.ts'
import { findSigner } from '../../src/store/reads/signer-reads.ts'
import { KeptLogins } from '../../src/token/kept-logins.ts'
import { buildApp, TEST_SEALING_KEY } from '../http/build-app.ts'
import { create } from '../http/ext-jwt-signers.fixture.ts'

async function setUp(t: TestContext) {
  const app = await buildApp(t)
  const { store, clock, settings } = app
  const keptLogins = new KeptLogins({
    store,
    clock,
    settings,
    sealing: createSealing(TEST_SEALING_KEY),
    log: pino({ enabled: false }),
    save: (logins) =>
      store.run(recordKeptLogins, { logins, maxPerSigner: 500 }, { actorId: SYSTEM_ACTOR.id, now: clock.now() }),
  })
  const findNewSigner = async () => (await findSigner(store.db, await create(app))) ?? assert.fail()
  const signer = await findNewSigner()
  const record = (claims: JsonObject, by = signer) => {
    keptLogins.record({ signer: by, claims, outcome: 'accepted', identityId: undefined })
    clock.advance(1)
  }
  const load = async (limit: number, options: Partial<Parameters<KeptLogins['load']>[1]> = {}) => {
    const portions: (readonly KeptLogin[])[] = []
    for await (const portion of keptLogins.load(limit, { caller: 'alice', ...options })) portions.push(portion)
    return portions
  }
  return { app, keptLogins, signer, findNewSigner, record, load }
}

const subjects = (portions: readonly (readonly KeptLogin[])[]) => portions.flat().map(({ claims }) => claims.sub)

test('Z-22 kept logins are read in portions, the latest first, and other requests have their turn before each', async (t) => {
  const { keptLogins, signer, findNewSigner, record, load } = await setUp(t)
  const other = await findNewSigner()
  for (let sub = 0; sub < 225; sub++) {
    record({ sub: `a${sub}` })
    record({ sub: `b${sub}` }, other)
  }
  await keptLogins.flush()
  let turns = 0
  const count = () => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const first = await load(10_000, { firstSignerIds: [other.id] })
  assert.ok(turns >= 3, `${turns} turns`)
  clearImmediate(counting)
  assert.deepEqual(
    first.map(({ length }) => length),
    [200, 200, 50],
  )
  const latest = (letter: string) => Array.from({ length: 225 }, (_, at) => `${letter}${224 - at}`)
  assert.deepEqual(subjects(first), [...latest('b'), ...latest('a')])
  assert.deepEqual(subjects(await load(3)), ['b224', 'a224', 'b223'])
  assert.deepEqual(subjects(await load(226, { firstSignerIds: [signer.id] })), [...latest('a'), 'b224'])
})

test('Z-22 reading kept logins ends at its time', async (t) => {
  const { record, load } = await setUp(t)
  record({ sub: 'a' })
  await assert.rejects(load(10, { untilMs: performance.now() - 1 }), { code: 'TIMEOUT' })
  assert.deepEqual(subjects(await load(10, { untilMs: performance.now() + 60_000 })), ['a'])
})

test('Z-22 the login behind a refusal is found behind the first portion', async (t) => {
  const { app, keptLogins, signer, record } = await setUp(t)
  for (let at = 0; at < 250; at++) record({ sub: `a${at}` })
  const find = (claimedIdentity: string | null) =>
    keptLogins.findRefused(signer, { reason: 'accepted', claimedIdentity, at: app.clock.now() })
  assert.equal((await find('a3'))?.claims.sub, 'a3')
  assert.equal((await find(null))?.claims.sub, 'a249')
  assert.equal(await find('a250'), undefined)
})

test('Z-21 a login with more claims than a token can have is not kept', async (t) => {
  const { record, load } = await setUp(t)
  record({ sub: 'long', acr: 'x'.repeat(32_768) })
  record({ sub: 'as long as a token', acr: 'x'.repeat(12_288) })
  assert.deepEqual(subjects(await load(10)), ['as long as a token'])
})
