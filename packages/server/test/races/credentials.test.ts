import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { AUTHENTICATORS } from '../http/identities.fixture.ts'
import { type Actor, makeAdministrator, setUpWorld, type World } from './actors.fixture.ts'
import { race } from './race.fixture.ts'
import { type RaceRequest, REQUESTS } from './requests.fixture.ts'

/** Replaces the credential that a request of `owner` uses. */
type Replace = (world: World, owner: Actor, request: RaceRequest) => Promise<void>

const resetPassword: Replace = async ({ app }, _owner, { path }) => {
  const id = path.split('/').at(-1)
  const reply = await app.admin('PATCH', `${AUTHENTICATORS}/${id}`, { password: 'reset-by-an-administrator' })
  assert.equal(reply.status, 200, reply.text)
}

const replaceKey: Replace = async ({ app, overTls }, { credentials }, { path, tls }) => {
  const body = { clientCertCsr: makeTestCsr().pem }
  const staged = await overTls('POST', path, { ...tls, ...credentials, body })
  assert.equal(staged.status, 200, staged.text)
  const { clientCert } = staged.json.data
  const verified = await app.call('POST', `${path}-verify`, { clientCert }, credentials)
  assert.equal(verified.status, 200, verified.text)
}

/** Makes the request of one administrator, and between its comparison and its write replaces the credential of that one or of another. */
async function statusWhenReplaced(t: TestContext, operation: string, whose: 'own' | 'other', replace: Replace) {
  const world = await setUpWorld(t)
  const prepare = async () => {
    const actor = await makeAdministrator(world)
    return { actor, request: (await REQUESTS[operation]?.(world, actor)) ?? assert.fail(operation) }
  }
  const sent = await prepare()
  const replaced = whose === 'own' ? sent : await prepare()
  const { reply } = await race(world, sent.actor, sent.request, operation, () =>
    replace(world, replaced.actor, replaced.request),
  )
  return reply.status
}

for (const [title, operation, replace] of [
  ['changing the own password', 'authenticator.updateOwn', resetPassword],
  ['renewing the own certificate', 'authenticator.stageRenewal', replaceKey],
] as const) {
  test(`N-01 D54 ${title} is refused when that credential was replaced meanwhile`, async (t) => {
    assert.equal(await statusWhenReplaced(t, operation, 'own', replace), 401)
  })

  test(`N-01 D54 ${title} is accepted when that of another was replaced meanwhile`, async (t) => {
    assert.equal(await statusWhenReplaced(t, operation, 'other', replace), 200)
  })
}
