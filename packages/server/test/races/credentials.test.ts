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

/** An administrator whose session rests on its password. */
const byPassword = (world: World): Promise<Actor> => makeAdministrator(world)

/** An administrator whose session rests on a certificate, so that it outlives the password. */
async function byCertificate(world: World): Promise<Actor> {
  const actor = await makeAdministrator(world)
  const { tls } = (await REQUESTS['authenticator.stageRenewal']?.(world, actor)) ?? assert.fail()
  const reply = await world.overTls('POST', '/edge/client/v1/authenticate?method=cert', { ...tls })
  assert.equal(reply.status, 200, reply.text)
  return { ...actor, credentials: { session: reply.json.data.token } }
}

interface Replacement {
  readonly operation: string
  /** Its session must not rest on the credential that is replaced. */
  readonly makeActor: (world: World) => Promise<Actor>
  readonly replace: Replace
}

/** Makes the request of one administrator, and between its comparison and its write replaces the credential of that one or of another. */
async function statusWhenReplaced(
  t: TestContext,
  whose: 'own' | 'other',
  { operation, makeActor, replace }: Replacement,
): Promise<number> {
  const world = await setUpWorld(t)
  const prepare = async () => {
    const actor = await makeActor(world)
    return { actor, request: (await REQUESTS[operation]?.(world, actor)) ?? assert.fail(operation) }
  }
  const sent = await prepare()
  const replaced = whose === 'own' ? sent : await prepare()
  const { reply } = await race(world, sent.actor, sent.request, operation, () =>
    replace(world, replaced.actor, replaced.request),
  )
  return reply.status
}

const REPLACEMENTS: Readonly<Record<string, Replacement>> = {
  'changing the own password': {
    operation: 'authenticator.updateOwn',
    makeActor: byCertificate,
    replace: resetPassword,
  },
  'renewing the own certificate': {
    operation: 'authenticator.stageRenewal',
    makeActor: byPassword,
    replace: replaceKey,
  },
}

for (const [title, replacement] of Object.entries(REPLACEMENTS)) {
  test(`N-01 D54 ${title} is refused when that credential was replaced meanwhile`, async (t) => {
    assert.equal(await statusWhenReplaced(t, 'own', replacement), 401)
  })

  test(`N-01 D54 ${title} is accepted when that of another was replaced meanwhile`, async (t) => {
    assert.equal(await statusWhenReplaced(t, 'other', replacement), 200)
  })
}
