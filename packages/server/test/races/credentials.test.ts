import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { AUTHENTICATORS } from '../http/identities.fixture.ts'
import { makeAdministrator, setUpWorld } from './actors.fixture.ts'
import { race } from './race.fixture.ts'
import { REQUESTS } from './requests.fixture.ts'

/** Sends the request of an operation for a new administrator. `change` happens between the comparison of its credential and the write. */
async function raceOwn(t: TestContext, operation: string, change: 'its own' | 'another') {
  const world = await setUpWorld(t)
  const actor = await makeAdministrator(world)
  const request = (await REQUESTS[operation]?.(world, actor)) ?? assert.fail(operation)
  const target = change === 'its own' ? request : await REQUESTS[operation]?.(world, await makeAdministrator(world))
  const id =
    target?.path
      .replace(/\/extend$/, '')
      .split('/')
      .at(-1) ?? ''
  return { world, actor, request, id, target: target ?? request }
}

for (const change of ['its own', 'another'] as const) {
  const isRefused = change === 'its own'
  const outcome = isRefused ? 'is refused' : 'is accepted'

  test(`N-01 D54 changing the own password while an administrator resets ${change} ${outcome}`, async (t) => {
    const operation = 'authenticator.updateOwn'
    const { world, actor, request, id } = await raceOwn(t, operation, change)
    const { reply } = await race(world, actor, request, operation, async () => {
      const reset = await world.app.admin('PATCH', `${AUTHENTICATORS}/${id}`, { password: 'reset-by-an-administrator' })
      assert.equal(reset.status, 200, reset.text)
    })
    assert.equal(reply.status, isRefused ? 401 : 200, reply.text)
  })

  test(`N-01 D54 renewing a certificate while the key of ${change} is replaced ${outcome}`, async (t) => {
    const operation = 'authenticator.stageRenewal'
    const { world, actor, request, target } = await raceOwn(t, operation, change)
    const owner = isRefused ? actor : undefined
    const { reply } = await race(world, actor, request, operation, async () => {
      if (!owner) return
      const body = { clientCertCsr: makeTestCsr().pem }
      const staged = await world.overTls('POST', target.path, { ...target.tls, ...owner.credentials, body })
      assert.equal(staged.status, 200, staged.text)
      const { clientCert } = staged.json.data
      const verify = { method: 'POST', path: `${target.path}-verify`, body: { clientCert } }
      const verified = await world.app.call(verify.method, verify.path, verify.body, owner.credentials)
      assert.equal(verified.status, 200, verified.text)
    })
    assert.equal(reply.status, isRefused ? 401 : 200, reply.text)
  })
}
