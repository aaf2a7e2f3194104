import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { BrowserLogin, ControllerClient, DeviceLogin } from '@countersign/sdk'
import { createNodeFetch } from '@countersign/sdk/node'
import { createCliStage } from './cli-stage.ts'

const { setUp } = createCliStage({ after })
const HOLDER = { username: 'signer-manager', password: 'a-long-password' }

test('D55 a push that takes the trust from a signer says so', async () => {
  const { controller, password, run } = await setUp()
  const { baseUrl, caFile, identityProviderUrl } = controller.ready
  const fetch = createNodeFetch({ ca: readFileSync(caFile, 'utf8'), onlyCa: true })
  const administrator = new ControllerClient({ baseUrl, fetch })
  await administrator.logInWithPassword('admin', password)
  const pusher = { username: 'key-pusher', password: 'a-long-password' }
  const permissions = ['external-jwt-signer.push-keys', 'external-jwt-signer.read'] as const
  const identity = { name: pusher.username, type: 'Default' as const, isAdmin: false, permissions }
  const identityId = await administrator.identities.create(identity)
  await administrator.authenticators.create({ method: 'updb', identityId, ...pusher })
  const signer = {
    enabled: true,
    issuer: 'https://plant.invalid',
    audience: 'plant',
    pushedKeys: { maxAgeSeconds: 300 },
  }
  const id = await administrator.signers.create({ name: 'plant', ...signer })
  const push = ['signers', 'push-keys', 'plant', '--from', `${identityProviderUrl}/jwks`, '-q', '--profile', 'pusher']
  const login = ['-u', pusher.username, '--password-stdin', '--ca-file', caFile, '--profile', 'pusher']
  assert.equal((await run(['login', baseUrl, ...login], { stdin: `${pusher.password}\n` })).exitCode, 0)
  const first = await run(push)
  assert.equal(first.exitCode, 0, first.stderr)
  assert.match(first.stderr, /warning: signer plant: it is not trusted/)
  const { keyStatus } = await administrator.signers.get(id)
  const pinnedKeyThumbprints = keyStatus.keys.map(({ thumbprint }) => thumbprint)
  await administrator.signers.patch(id, { pinnedKeyThumbprints })
  const pinned = await run(push)
  assert.deepEqual([pinned.exitCode, pinned.stderr], [0, ''])
})

test('D55 D60 neither the SDK nor the command begins a login through an untrusted signer', async () => {
  const { baseUrl, caFile, password, run } = await setUp()
  const fetch = createNodeFetch({ ca: readFileSync(caFile, 'utf8'), onlyCa: true })
  const administrator = new ControllerClient({ baseUrl, fetch })
  await administrator.logInWithPassword('admin', password)
  const identityId = await administrator.identities.create({
    name: HOLDER.username,
    type: 'Default',
    isAdmin: false,
    permissions: ['external-jwt-signer'],
  })
  await administrator.authenticators.create({ method: 'updb', identityId, ...HOLDER })
  const holder = new ControllerClient({ baseUrl, fetch })
  await holder.logInWithPassword(HOLDER.username, HOLDER.password)
  const issuer = 'https://provider.invalid'
  const id = await holder.signers.create({
    name: 'by-the-holder',
    enabled: true,
    issuer,
    audience: 'another',
    jwksEndpoint: `${issuer}/keys`,
    externalAuthUrl: issuer,
    openIdConfigurationUrl: `${issuer}/.well-known/openid-configuration`,
    clientId: 'client',
  })

  const attempts = async () => {
    const signer = (await new ControllerClient({ baseUrl, fetch }).listClientSigners()).find((one) => one.id === id)
    assert.ok(signer)
    const browser = BrowserLogin.start({ signer, fetch, redirectUri: 'http://127.0.0.1/callback' })
    const device = DeviceLogin.start({ signer, fetch })
    const command = run(['login', baseUrl, '--ca-file', caFile, '-q', '--signer', 'by-the-holder'])
    const errors = await Promise.all([browser, device].map((login) => login.then(() => 'started', String)))
    return [...errors, (await command).stderr]
  }
  for (const text of await attempts()) assert.match(text, /offers no login in a browser/)

  await administrator.signers.trust(id)
  for (const text of await attempts()) {
    assert.doesNotMatch(text, /offers no login in a browser/)
    assert.match(text, /provider\.invalid/, 'it is asked now')
  }
})
