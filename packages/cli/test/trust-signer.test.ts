import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ControllerClient } from '@countersign/sdk'
import { createNodeFetch } from '@countersign/sdk/node'
import { createControllerStage } from '@countersign/testkit'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })
const started = stage.start()
const HOLDER = { username: 'signer-manager', password: 'a-long-password' }
const ISSUER = 'https://provider.invalid'
const CONFLICT = 6

/** An administrator at the command, and an untrusted signer of a holder of `external-jwt-signer`. */
async function setUp() {
  const { ready } = await started
  const env = { HOME: join(stage.folder, 'home') }
  mkdirSync(env.HOME)
  const { baseUrl, caFile } = ready
  const fetch = createNodeFetch({ ca: readFileSync(caFile, 'utf8'), onlyCa: true })
  const [administrator, holder] = [new ControllerClient({ baseUrl, fetch }), new ControllerClient({ baseUrl, fetch })]
  await administrator.logInWithPassword('admin', ready.admin.password ?? '')
  const permissions = ['external-jwt-signer'] as const
  const identity = { name: HOLDER.username, type: 'Default', isAdmin: false, permissions } as const
  const identityId = await administrator.identities.create(identity)
  await administrator.authenticators.create({ method: 'updb', identityId, ...HOLDER })
  await holder.logInWithPassword(HOLDER.username, HOLDER.password)
  const signer = {
    name: 'idp',
    enabled: true,
    issuer: ISSUER,
    audience: 'a',
    jwksEndpoint: `${ISSUER}/keys`,
    externalAuthUrl: `${ISSUER}/log-in`,
    openIdConfigurationUrl: `${ISSUER}/.well-known/openid-configuration`,
    requiredClaims: { team: 'of the holder' },
    clockSkewSeconds: 60,
  }
  const id = await holder.signers.create(signer)
  const words = ['login', baseUrl, '-u', 'admin', '--password-stdin', '--ca-file', caFile]
  const input = { readAll: async () => `${ready.admin.password}\n` }
  assert.equal((await runCaptured(words, { env, input })).exitCode, 0)
  return {
    env,
    holder,
    id,
    stateOf: async () => (await administrator.signers.get(id)).trust.state,
  }
}

test('D55 signers trust shows what is trusted, asks, and trusts that version only', async () => {
  const { env, holder, id, stateOf } = await setUp()
  const trust = (ask: (question: string) => Promise<string>) =>
    runCaptured(['signers', 'trust', 'idp'], { env, input: { isInteractive: true, ask }, isTTY: true })

  const changed = await trust(async () => {
    await holder.signers.patch(id, { jwksEndpoint: `${ISSUER}/keys-of-the-holder` })
    return 'y'
  })
  assert.equal(changed.exitCode, CONFLICT, changed.stderr)
  assert.equal(await stateOf(), 'untrusted')

  assert.equal((await trust(async () => 'n')).exitCode, 1)
  const unasked = await runCaptured(['signers', 'trust', 'idp'], { env })
  assert.equal(unasked.exitCode, 2, unasked.stderr)
  assert.equal(await stateOf(), 'untrusted')

  const questions: string[] = []
  const trusted = await trust(async (question) => {
    questions.push(question)
    return 'y'
  })
  assert.equal(trusted.exitCode, 0, trusted.stderr)
  assert.equal(questions.length, 1)
  const lines = trusted.stderr.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' '))
  assert.deepEqual(lines.slice(0, -2), [
    `issuer ${ISSUER}`,
    'audience a',
    `jwksEndpoint ${ISSUER}/keys-of-the-holder`,
    `externalAuthUrl ${ISSUER}/log-in`,
    `openIdConfigurationUrl ${ISSUER}/.well-known/openid-configuration`,
    'clockSkewSeconds 60',
    'requiredClaims {"team":"of the holder"}',
  ])
  assert.ok(lines.at(-2)?.startsWith(`Last written by ${HOLDER.username}, `), trusted.stderr)
  assert.equal(trusted.stdout, 'trusted signer idp\n')
  assert.equal(await stateOf(), 'trusted')

  await holder.signers.patch(id, { audience: 'b' })
  assert.equal((await runCaptured(['signers', 'trust', 'idp', '--yes'], { env })).exitCode, 0, 'without a terminal')
  assert.equal(await stateOf(), 'trusted')
})
