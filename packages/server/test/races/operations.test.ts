import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS } from '../../src/operations/operations.ts'
import type { AnyOperation } from '../../src/store/operation.ts'
import { isHostedAccess } from '../../src/store/operation-access.ts'
import {
  type Actor,
  makeAccount,
  makeAccountSession,
  makeAdministrator,
  makeFederated,
  makeTraded,
  setUpWorld,
} from './actors.fixture.ts'
import { LOSSES } from './losses.fixture.ts'
import { race } from './race.fixture.ts'
import { REQUESTS } from './requests.fixture.ts'
import { sampleOne } from './sample.fixture.ts'

const MAKE = {
  identity: makeAdministrator,
  account: makeAccount,
  'account session': makeAccountSession,
  'federated account': makeFederated,
  'traded token': makeTraded,
} as const

/** The kinds of actors that are tested with an operation: for the session of an account and for federated ones, one operation stands for all. */
function actorsOf({ name, access }: AnyOperation): readonly Actor['kind'][] {
  if (name === 'apiAccount.issueToken') return ['federated account']
  if (name === 'network.create') return ['identity', 'account', 'federated account', 'traded token']
  if (isHostedAccess(access)) return access.hosted === 'read' ? ['account'] : ['identity', 'account']
  return name === 'identity.create' ? ['identity', 'account session'] : ['identity']
}

const authorised: readonly AnyOperation[] = OPERATIONS.filter(({ access }) => access !== 'none')

test('every operation that authorises its actor has a request in the table', () => {
  assert.deepEqual(Object.keys(REQUESTS).toSorted(), authorised.map(({ name }) => name).toSorted())
})

for (const operation of authorised) {
  const { name, access } = operation
  test(`N-01 ${name} is refused and changes nothing when its actor loses the right after authentication`, async (t) => {
    const prepare = REQUESTS[name] ?? assert.fail(name)
    const world = await setUpWorld(t)
    for (const kind of actorsOf(operation)) {
      const losses = LOSSES.filter(({ of, isHarmless }) => of.includes(kind) && !isHarmless?.(access))
      assert.ok(losses.length > 0, kind)
      for (const { title, happen } of sampleOne(losses, `${name} ${kind}`)) {
        await t.test(`${kind} that ${title}`, async () => {
          const actor = await MAKE[kind](world)
          const request = await prepare(world, actor)
          const { reply, ...result } = await race(world, actor, request, name, () => happen(world, actor))
          assert.deepEqual({ status: reply.status, ...result }, { status: 401, hasWritten: true, hasChanged: false })
        })
      }

      await t.test(`accepted of the same ${kind} otherwise`, async () => {
        const actor = await MAKE[kind](world)
        const request = await prepare(world, actor)
        const { reply, hasWritten } = await race(world, actor, request, name, async () => {})
        assert.deepEqual([Math.floor(reply.status / 100), hasWritten], [2, true], reply.text)
      })
    }
  })
}

test('N-01 a write of an account goes on when its provider record is only renamed meanwhile', async (t) => {
  const world = await setUpWorld(t)
  const actor = await makeAccount(world)
  const name = 'organization.create'
  const request = await (REQUESTS[name] ?? assert.fail(name))(world, actor)
  const { reply, hasWritten } = await race(world, actor, request, name, async () => {
    const path = `/identity/v1/identity-providers/${actor.providerId}`
    assert.equal((await world.app.admin('PATCH', path, { name: 'renamed' })).status, 200)
  })
  assert.deepEqual([reply.status, hasWritten], [201, true], reply.text)
})
