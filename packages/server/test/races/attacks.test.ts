import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExtJwtSignerPatch, IdentityPatch } from '@countersign/contract'
import { patchIdentity } from '../../src/operations/identity/update-identity.ts'
import { patchSigner } from '../../src/operations/signer/update-signer.ts'
import { IDENTITIES, identityOf } from '../http/identities.fixture.ts'
import { MFA, startTotp } from '../http/one-time-codes.fixture.ts'
import { ALICE, AUDIENCE, SIGNERS, setUpProvider } from '../http/provider.fixture.ts'
import { makeSecondSigner, makeStrictPolicy } from '../http/second-token.fixture.ts'
import { type Actor, makeAccount, makeAdministrator, setUpWorld, type World } from './actors.fixture.ts'
import { race } from './race.fixture.ts'

const CONNECTIONS = 8
const ROUNDS = 5

const SYSTEM = (now: number) => ({ actorId: 'system', now })

/** Repeats a request on several connections while `happen` runs. Returns how many were accepted. */
async function flood(
  { app }: World,
  { credentials }: Actor,
  request: { readonly method: string; readonly path: string; readonly body?: unknown },
  happen: () => Promise<unknown>,
): Promise<number> {
  let isOver = false
  let accepted = 0
  const connections = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      const { status } = await app.call(request.method, request.path, request.body, credentials)
      if (status < 300) accepted += 1
      // A refusal needs no turn of the event loop: without one here, refused requests would keep `happen` from being answered.
      await new Promise(setImmediate)
    }
  })
  while (accepted < CONNECTIONS) await new Promise(setImmediate)
  await happen()
  isOver = true
  await Promise.all(connections)
  return accepted
}

test('N-01 an administrator who is demoted or disabled during a flood of own requests stays so', async (t) => {
  const world = await setUpWorld(t)
  const { app } = world
  for (let round = 0; round < ROUNDS; round += 1) {
    const demoted = await makeAdministrator(world)
    const promote = { method: 'PATCH', path: `${IDENTITIES}/${demoted.id}`, body: { isAdmin: true } }
    await flood(world, demoted, promote, () => app.admin('PATCH', promote.path, { isAdmin: false }))
    assert.equal((await identityOf(app, demoted.id)).isAdmin, false)

    const disabled = await makeAdministrator(world)
    const enable = { method: 'POST', path: `${IDENTITIES}/${disabled.id}/enable` }
    const disable = { durationMinutes: 0 }
    await flood(world, disabled, enable, () => app.admin('POST', `${IDENTITIES}/${disabled.id}/disable`, disable))
    assert.equal((await identityOf(app, disabled.id)).disabled, true)
  }
})

test('D46 an account that becomes read-only or inactive during a flood of exchanges keeps no administrator’s session', async (t) => {
  const world = await setUpWorld(t)
  const { app, networkId } = world
  const exchange = { method: 'POST', path: `/core/v3/networks/${networkId}/exchange`, body: { type: 'session' } }
  for (let round = 0; round < ROUNDS; round += 1) {
    const account = await makeAccount(world)
    const path = `/identity/v1/api-account-identities/${account.accountId}`
    await flood(world, account, exchange, () => app.admin('PATCH', path, { role: 'read-only' }))
    assert.equal((await identityOf(app, account.id)).isAdmin, false)

    await flood(world, account, exchange, () => app.admin('PATCH', path, { active: false }))
    await app.admin('PATCH', path, { active: true })
    const sessions = app.store.db.selectFrom('api_sessions').select('id').where('identity_id', '=', account.id)
    assert.deepEqual(await sessions.execute(), [], 'no session comes back to life')
  }
})

test('N-01 I-15 an administrator whose signer is being disabled or restricted does not undo it', async (t) => {
  const { app, createSigner, createIdentity, token } = await setUpProvider(t)
  const id = await createSigner()
  await createIdentity({ isAdmin: true })
  const logIn = async (): Promise<Actor> => {
    const headers = { authorization: `Bearer ${token({ sub: ALICE })}` }
    const reply = await app.call('POST', '/edge/management/v1/authenticate?method=ext-jwt', undefined, { headers })
    assert.equal(reply.status, 200, reply.text)
    const credentials = { session: reply.json.data.token as string }
    return { kind: 'identity', id: '', accountId: '', providerId: '', password: '', credentials }
  }
  const undo = { method: 'PATCH', path: `${SIGNERS}/${id}`, body: { enabled: true, audience: AUDIENCE } }
  const set = (body: ExtJwtSignerPatch) => {
    const meta = { actorId: 'system', now: app.clock.now() }
    return app.store.run(patchSigner, { id, body, certificate: undefined }, meta)
  }
  const keeping: readonly ExtJwtSignerPatch[] = [{}, { tags: { team: 'red' } }]
  for (const change of keeping) {
    const { reply } = await race({ app }, await logIn(), undo, 'signer.patch', () => set(change))
    assert.equal(reply.status, 200, reply.text)
  }
  const ending: readonly ExtJwtSignerPatch[] = [{ audience: 'other' }, { enabled: false }]
  for (const change of ending) {
    const refused = await race({ app }, await logIn(), undo, 'signer.patch', () => set(change))
    assert.deepEqual([refused.reply.status, refused.hasChanged], [401, false])
    await set({ audience: AUDIENCE })
  }
})

test('N-01 E-02 an administrator whose external id is taken away, which a second token named, does not undo it', async (t) => {
  const world = await setUpWorld(t)
  const { app } = world
  const second = await makeSecondSigner(app)
  const authPolicyId = await makeStrictPolicy(app, second.id)
  const { id, credentials: session, ...administrator } = await makeAdministrator(world)
  const set = (body: IdentityPatch) => app.store.run(patchIdentity, { id, body }, SYSTEM(app.clock.now()))
  await set({ authPolicyId, externalId: ALICE })
  const credentials = { ...session, headers: { authorization: `Bearer ${second.token(ALICE)}` } }
  const actor: Actor = { ...administrator, id, credentials }
  const undo = { method: 'PATCH', path: `${IDENTITIES}/${id}`, body: { externalId: ALICE } }

  const accepted = await race(world, actor, undo, 'identity.patch', () => set({ name: `renamed ${id}` }))
  assert.equal(accepted.reply.status, 200, accepted.reply.text)
  const refused = await race(world, actor, undo, 'identity.patch', () => set({ externalId: 'another' }))
  assert.deepEqual([refused.reply.status, refused.hasWritten, refused.hasChanged], [401, true, false])

  await set({ externalId: ALICE })
  const device = await startTotp(app, session.session ?? '')
  const verify = { method: 'POST', path: `${MFA}/verify`, body: { code: device.code() } }
  const unverified = await race(world, actor, verify, 'totp.verify', () => set({ externalId: 'another' }))
  assert.deepEqual([unverified.reply.status, unverified.hasWritten, unverified.hasChanged], [401, true, false])

  for (let round = 0; round < ROUNDS; round += 1) {
    await set({ externalId: ALICE })
    await flood(world, actor, undo, () => app.admin('PATCH', undo.path, { externalId: 'another' }))
    assert.equal((await identityOf(app, id)).externalId, 'another')
  }
  await set({ externalId: ALICE })
  const verified = await race(world, actor, verify, 'totp.verify', () => set({ name: `renamed again ${id}` }))
  assert.equal(verified.reply.status, 200, verified.reply.text)
})
