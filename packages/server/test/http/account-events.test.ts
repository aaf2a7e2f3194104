import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SIGNERS } from './provider.fixture.ts'
import { type EventName, IDENTITIES, SIGNALS, sendEvent, setUpChannels } from './provider-channels.fixture.ts'

const OTHER_AUDIENCE = 'of the other'

/** Alice, created by the first signer and linked to the other, with events of both. They return whether she is disabled. */
async function setUpAccount(t: TestContext) {
  const channels = await setUpChannels(t, { sharedSignals: SIGNALS })
  const { app, signerId, logIn, seconds, createSigner, eventToken, find } = channels
  const sharedSignals = { audience: OTHER_AUDIENCE }
  const otherId = await createSigner({ name: 'other', audience: 'other', sharedSignals })
  await logIn()
  const { id } = await find()
  const patch = async (body: unknown) => {
    assert.equal((await app.admin('PATCH', `${IDENTITIES}/${id}`, body)).status, 200)
  }
  await patch({ linkedSigners: [otherId] })
  const start = seconds() - 100
  const sender = (signer: string, aud: string) => async (event: 'disabled' | 'enabled', second: number) => {
    const token = eventToken(`account-${event}` satisfies EventName, { aud, iat: start + second })
    const reply = await sendEvent(app, signer, token)
    assert.equal(reply.status, 202, reply.text)
    return (await find()).disabled as boolean
  }
  const change = async (action: 'disable' | 'enable', body?: unknown) => {
    const reply = await app.admin('POST', `${IDENTITIES}/${id}/${action}`, body)
    assert.equal(reply.status, 200, reply.text)
    return (await find()).disabled as boolean
  }
  const stored = async () => {
    const select = app.store.db.selectFrom('identities').select(['disabled_by_signer_id', 'account_events'])
    const row = await select.where('id', '=', id).executeTakeFirstOrThrow()
    return { disabledBy: row.disabled_by_signer_id, signers: Object.keys(JSON.parse(row.account_events)) }
  }
  return {
    ...channels,
    otherId,
    second: () => seconds() - start,
    patch,
    stored,
    first: sender(signerId, SIGNALS.audience),
    other: sender(otherId, OTHER_AUDIENCE),
    disable: (durationMinutes = 0) => change('disable', { durationMinutes }),
    enable: () => change('enable'),
    remove: async (signer: string) => assert.equal((await app.admin('DELETE', `${SIGNERS}/${signer}`)).status, 200),
  }
}

test('V-13 D63 an identity that two signers disabled is enabled when both enable it', async (t) => {
  const { app, signerId, otherId, first, other, stored } = await setUpAccount(t)
  assert.equal(await first('disabled', 10), true)
  assert.equal(await other('disabled', 11), true)
  assert.equal(await first('enabled', 12), true, 'disabled by the other signer')
  assert.equal((await stored()).disabledBy, otherId)
  assert.equal(await other('enabled', 13), false)
  const affected = app.events('providerEvent').map(({ identity_ids: ids }) => ids.length)
  assert.deepEqual(affected, [1, 0, 0, 1], 'an event names the identities that it disables or enables')

  assert.equal(await first('disabled', 20), true)
  assert.equal(await other('disabled', 21), true)
  assert.equal(await other('enabled', 22), true, 'disabled by the first signer')
  assert.equal((await stored()).disabledBy, signerId)
  assert.equal(await first('enabled', 23), false)
})

test('V-13 D63 an enabling by another signer than the one that disabled changes nothing', async (t) => {
  const { first, other } = await setUpAccount(t)
  assert.equal(await first('disabled', 10), true)
  assert.equal(await other('enabled', 11), true)
  assert.equal(await first('enabled', 12), false)
})

test('V-13 the latest event of a signer counts, also when it found the identity as it says', async (t) => {
  const { first, enable } = await setUpAccount(t)
  assert.equal(await first('disabled', 10), true)
  assert.equal(await first('disabled', 30), true)
  assert.equal(await first('enabled', 20), true, 'issued before the latest disabling')
  assert.equal(await first('enabled', 31), false)
  assert.equal(await first('enabled', 50), false)
  assert.equal(await first('disabled', 40), false, 'issued before the latest enabling')
  assert.equal(await first('disabled', 51), true)
  assert.equal(await enable(), false)
})

test('V-13 an enabling of an enabled identity makes earlier disablings late', async (t) => {
  const { first, other } = await setUpAccount(t)
  assert.equal(await first('enabled', 20), false)
  assert.equal(await first('disabled', 10), false)
  assert.equal(await other('disabled', 10), true, 'its own events only')
  assert.equal(await other('enabled', 11), false)
  assert.equal(await first('disabled', 21), true)
})

test('V-13 D63 events are recorded while an administrator has disabled the identity, and undo nothing', async (t) => {
  const { first, other, disable, enable } = await setUpAccount(t)
  assert.equal(await first('disabled', 10), true)
  assert.equal(await disable(), true)
  assert.equal(await other('disabled', 11), true)
  assert.equal(await first('enabled', 30), true)
  assert.equal(await other('enabled', 12), true)
  assert.equal(await enable(), false)
  assert.equal(await first('disabled', 20), false, 'issued before the enabling')
  assert.equal(await first('disabled', 31), true)
})

test('V-13 an enabling by an administrator undoes the disablings of all signers, and those on their way', async (t) => {
  const { app, second, first, other, enable } = await setUpAccount(t)
  assert.equal(await first('disabled', 10), true)
  assert.equal(await other('disabled', 11), true)
  app.clock.advance(1_500 - (app.clock.now() % 1_000))
  assert.equal(await enable(), false)
  const at = second()
  assert.equal(await first('disabled', 12), false, 'issued before the administrator enabled the identity')
  assert.equal(await other('disabled', at - 1), false)
  assert.equal(await first('disabled', at), true, 'issued in the same second')
  assert.equal(await first('enabled', at), false, 'the disabling of the other signer does not come back')
})

test('V-13 an enabling by an administrator does not hide disablings of a signer that had not disabled the identity', async (t) => {
  const { first, disable, enable } = await setUpAccount(t)
  assert.equal(await disable(), true)
  assert.equal(await enable(), false)
  assert.equal(await first('disabled', 10), true)
})

test('V-13 a disabling with an end by an administrator replaces those of the signers', async (t) => {
  const { app, first, other, disable, find } = await setUpAccount(t)
  assert.equal(await first('disabled', 10), true)
  assert.equal(await disable(10), true)
  assert.equal(await other('disabled', 11), true)
  assert.equal(await other('enabled', 12), true, 'until ten minutes have passed')
  app.clock.advance(600_000)
  assert.equal((await find()).disabled, false)
})

test('V-13 a temporary lock goes on after two signers and repeated events', async (t) => {
  const { app, first, other, disable, find } = await setUpAccount(t)
  const passTheLock = async (ended: () => Promise<boolean>) => {
    assert.equal(await disable(10), true)
    assert.equal(await ended(), true, 'until ten minutes have passed')
    app.clock.advance(600_000)
    assert.equal((await find()).disabled, false)
  }
  await passTheLock(async () => {
    await first('disabled', 10)
    await first('disabled', 11)
    return first('enabled', 12)
  })
  await passTheLock(async () => {
    await first('disabled', 20)
    await other('disabled', 21)
    await first('enabled', 22)
    return other('enabled', 23)
  })
  assert.equal(await first('disabled', 30), true)
  assert.equal(await first('enabled', 31), false, 'without a lock')
})

test('V-13 identities with rights note events, and are enabled when they have none', async (t) => {
  const { first, patch } = await setUpAccount(t)
  assert.equal(await first('disabled', 10), true)
  await patch({ permissions: ['identity.read'] })
  assert.equal(await first('enabled', 30), true)
  await patch({ permissions: [] })
  assert.equal(await first('enabled', 20), true, 'issued before the latest enabling')
  assert.equal(await first('enabled', 31), false)
})

test('V-13 events of signers that are deleted or no longer linked are forgotten', async (t) => {
  const { signerId, otherId, first, other, patch, stored, remove } = await setUpAccount(t)
  assert.equal(await first('disabled', 10), true)
  assert.equal(await other('disabled', 11), true)
  await patch({ linkedSigners: [] })
  assert.equal(await first('enabled', 12), false)
  assert.deepEqual((await stored()).signers, [signerId])

  await patch({ linkedSigners: [otherId] })
  assert.equal(await other('disabled', 20), true)
  assert.equal(await first('disabled', 21), true)
  await remove(signerId)
  assert.deepEqual(await stored(), { disabledBy: otherId, signers: [otherId] })
  assert.equal(await other('enabled', 22), false)
})

test('V-13 D63 an identity that a deleted signer disabled is enabled by administrators only', async (t) => {
  const { signerId, first, other, enable, remove } = await setUpAccount(t)
  assert.equal(await first('disabled', 10), true)
  assert.equal(await other('disabled', 11), true)
  await remove(signerId)
  assert.equal(await other('enabled', 12), true)
  assert.equal(await enable(), false)
})
