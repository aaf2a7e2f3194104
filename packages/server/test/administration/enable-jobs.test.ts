/** Disabling the client of an account at its provider, as the account is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdOperation, PROVIDER_WORLDS, SECRET, setUpAdministration } from './worlds.fixture.ts'

for (const isChangedAgain of [true, false]) {
  const expected = isChangedAgain
    ? 'also applies a change that came meanwhile'
    : 'applies the change that it was made for'
  test(`P-13 the job at work on a client ${expected}`, async (t) => {
    const { app, world, paths, create, listJobs } = await setUpAdministration(t, 'keycloak')
    const { id, clientId } = (await create()).json
    const set = (active: boolean) => app.admin('PATCH', `${paths.accounts}/${id}`, { active })
    const end = holdOperation(app, 'accountJob.endEnable')
    const disabled = set(false)
    await end.reached
    assert.equal(world.isEnabled(clientId), false)
    if (isChangedAgain) {
      for (const active of [true, false, true]) assert.equal((await set(active)).status, 200)
    }
    assert.deepEqual(
      (await listJobs()).map(({ kind, state }: { kind: string; state: string }) => [kind, state]),
      [['enable', 'running']],
    )
    end.release()
    assert.equal((await disabled).status, 200)
    assert.equal(world.isEnabled(clientId), isChangedAgain)
    assert.deepEqual(await listJobs(), [])
  })
}

test('P-13 however often an account is changed, it has one job, which applies the last change', async (t) => {
  const { app, world, provider, paths, create, listJobs } = await setUpAdministration(t, 'cognito')
  const { id, clientId } = (await create()).json
  const setSecret = async (secretAccessKey: string) => {
    const administration = { ...provider.administration, secretAccessKey }
    assert.equal((await app.admin('PATCH', paths.provider, { administration })).status, 200)
  }
  await setSecret('wrong')
  for (let nth = 0; nth < 6; nth++) {
    const changed = await app.admin('PATCH', `${paths.accounts}/${id}`, { active: nth % 2 === 1 })
    assert.equal(changed.status, 200, changed.text)
  }
  assert.equal((await app.admin('PATCH', `${paths.accounts}/${id}`, { active: false })).status, 200)
  const [job, ...others] = await listJobs()
  assert.deepEqual([job.kind, job.state, others.length], ['enable', 'pending', 0])
  assert.equal(world.isEnabled(clientId), true)
  await setSecret(SECRET)
  assert.equal((await app.admin('POST', `${paths.jobs}/${job.id}/repeat`)).status, 204)
  assert.deepEqual([world.isEnabled(clientId), await listJobs()], [false, []])
})

for (const kind of Object.keys(PROVIDER_WORLDS) as (keyof typeof PROVIDER_WORLDS)[]) {
  test(`${kind}: an account that is created inactive has a client that is disabled, also after a rotation`, async (t) => {
    const { app, world, paths, create, listJobs } = await setUpAdministration(t, kind)
    const active = (await create({ name: 'active' })).json
    const inactive = (await create({ name: 'inactive', active: false })).json
    for (const [{ id, clientId }, isEnabled] of [
      [active, true],
      [inactive, false],
    ] as const) {
      assert.equal(world.isEnabled(clientId), isEnabled)
      const rotated = await app.admin('POST', `${paths.accounts}/${id}/rotate`, { overlapMinutes: 0 })
      assert.equal(rotated.status, 200, rotated.text)
      assert.notEqual(rotated.json.clientId, clientId)
      assert.equal(world.isEnabled(rotated.json.clientId), isEnabled)
    }
    const kinds: string[] = (await listJobs()).map((job: { kind: string }) => job.kind)
    assert.equal(kinds.includes('enable'), false)
  })
}

for (const kind of ['keycloak', 'auth0'] as const) {
  test(`${kind}: disabling an account also disables the client that a rotation has left valid`, async (t) => {
    const { app, world, paths, create } = await setUpAdministration(t, kind)
    const { id, clientId: old } = (await create()).json
    const rotated = await app.admin('POST', `${paths.accounts}/${id}/rotate`, { overlapMinutes: 10 })
    const clients = [old, rotated.json.clientId]
    for (const active of [false, true]) {
      assert.equal((await app.admin('PATCH', `${paths.accounts}/${id}`, { active })).status, 200)
      assert.deepEqual(clients.map(world.isEnabled), [active, active])
    }
  })
}
