import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Credentials, HostedClient } from '@countersign/sdk'
import { createSdkStage } from './sdk-stage.ts'

const FILES = {
  'a user pool': { file: 'credentials.json', type: 'cognito' },
  'a hosted platform': { file: 'credentials-hosted-platform.json', type: 'auth0' },
  'an enterprise provider': { file: 'credentials-enterprise.json', type: 'oidc' },
} as const

test('S2-5.4 S2-5.5 S2-5.6 S2-5.7 the SDK needs only the credentials file of an API account, for every provider', async (t) => {
  const stage = await createSdkStage(t)
  const { baseUrl, fetch, dataDir } = stage
  const open = async (file: string) => {
    const credentials = await Credentials.load({ file: join(dataDir, file) })
    return new HostedClient({ baseUrl, fetch, credentials })
  }

  for (const [name, { file, type }] of Object.entries(FILES)) {
    await t.test(
      `S2-5.4 S2-5.5 S2-5.7 an account of ${name} gets its identity, its networks and a session of the controller`,
      async () => {
        const client = await open(file)
        const self = await client.self()
        assert.deepEqual([self.type, self.active], ['ApiAccountIdentity', true])
        const provider = await client.providers.get((await client.accounts.get(self.id)).identityProviderId)
        assert.equal(provider.kind, type)
        const [network] = await client.networks.all()
        assert.equal(network?.status, 'PROVISIONED')
        const controller = await client.connect(network?.id ?? '')
        assert.equal((await controller.currentIdentity()).name, `api-account:${self.id}`)
        assert.ok((await controller.summary()).identities)
      },
    )
  }

  await t.test('S2-5.6 a refused token is reported; an ended session is exchanged again', async () => {
    const token = new HostedClient({ baseUrl, fetch, token: 'no.such.token' })
    await assert.rejects(token.self(), { status: 401 })
    const client = await open('credentials.json')
    const [network] = await client.networks.all()
    const controller = await client.connect(network?.id ?? '')
    const before = controller.session
    await controller.logOut()
    const session = await client.connect(network?.id ?? '')
    await (await stage.administrator()).apiSessions.delete((await session.currentSession()).id)
    assert.ok((await session.currentIdentity()).id, 'the client continued with another session')
    assert.notEqual(before, session.session)
  })

  await t.test('a missing permission does not cost another session; an ended session is renewed', async () => {
    const admin = new HostedClient({ baseUrl, fetch, session: (await stage.administrator()).session })
    const pool = (await admin.providers.all()).find(({ kind }) => kind === 'cognito')
    const made = await admin.accounts.create({ name: 'viewer', identityProviderId: pool?.id ?? '', role: 'read-only' })
    assert.ok(made.credentials)
    const client = new HostedClient({ baseUrl, fetch, credentials: new Credentials(made.credentials) })
    const controller = await client.connectLocal()
    const first = controller.session
    await assert.rejects(controller.identities.create({ name: 'x', type: 'Default', isAdmin: false }), { status: 401 })
    assert.equal(controller.session, first)
    await (await stage.administrator()).apiSessions.delete((await controller.currentSession()).id)
    assert.ok((await controller.summary()).identities)
    assert.notEqual(controller.session, first)
  })

  await t.test(
    'an account is created, rotated, disabled and deleted, and its credentials work accordingly',
    async () => {
      const admin = new HostedClient({ baseUrl, fetch, session: (await stage.administrator()).session })
      const providers = await admin.providers.all()
      const pool = providers.find(({ kind }) => kind === 'cognito')
      const created = await admin.accounts.create({
        name: 'nightly',
        identityProviderId: pool?.id ?? '',
        role: 'read-only',
      })
      assert.ok(created.credentials)
      const use = (members: NonNullable<typeof created.credentials>) =>
        new HostedClient({ baseUrl, fetch, credentials: new Credentials(members) })
      const old = use(created.credentials)
      assert.equal((await old.self()).name, 'nightly')
      const network = { name: 'plant' }
      await assert.rejects(old.networks.create(network), { status: 403 })
      const rotated = await admin.accounts.rotate(created.id, { overlapMinutes: 60 })
      assert.ok(rotated.credentials && rotated.credentials.clientId !== created.credentials.clientId)
      assert.equal((await use(rotated.credentials).self()).id, created.id)
      assert.equal((await old.self()).id, created.id, 'the old credentials overlap')
      await admin.accounts.disable(created.id)
      await assert.rejects(old.self(), { status: 401 })
      await admin.accounts.enable(created.id)
      assert.equal((await old.self()).id, created.id)
      await admin.accounts.delete(created.id)
      await assert.rejects(old.self(), { code: 'TOKEN_REFUSED' }, 'the client is deleted at the provider too')
      await assert.rejects(admin.accounts.get(created.id), { status: 404, code: 'NOT_FOUND' })
    },
  )

  await t.test('networks are created, found by name, updated, paged and deleted', async () => {
    const client = await open('credentials.json')
    for (let index = 0; index < 3; index++) await client.networks.create({ name: `Plant ${index}` })
    const found = await client.networks.all({ query: { findByName: 'plant%' } })
    assert.deepEqual(
      found.map(({ name }) => name),
      ['Plant 0', 'Plant 1', 'Plant 2'],
    )
    const [first] = found
    assert.equal((await client.networks.update(first?.id ?? '', { name: 'Floor' })).name, 'Floor')
    await assert.rejects(client.networks.exchange(first?.id ?? ''), { status: 409 })
    await client.networks.delete(first?.id ?? '')
    assert.equal((await client.networks.findByName('Floor').next()).done, true)
    assert.equal((await client.organizations.all()).length, 1)
    assert.ok((await client.networkGroups.all()).length > 0)
  })
})
