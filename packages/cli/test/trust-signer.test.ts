import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ControllerClient } from '@countersign/sdk'
import { createNodeFetch } from '@countersign/sdk/node'
import { createControllerStage, createTestKeyPair, makeTestAuthority } from '@countersign/testkit'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })
const started = stage.start()
const HOLDER = { username: 'signer-manager', password: 'a-long-password' }
const ISSUER = 'https://provider.invalid'
const [REFUSED, CONFLICT] = [4, 6]

/** An administrator at the command, and an untrusted signer of a holder of `external-jwt-signer` and `ca`. */
async function createStage() {
  const { ready } = await started
  const env = { HOME: join(stage.folder, 'home') }
  mkdirSync(env.HOME)
  const { baseUrl, caFile } = ready
  const fetch = createNodeFetch({ ca: readFileSync(caFile, 'utf8'), onlyCa: true })
  const [administrator, holder] = [new ControllerClient({ baseUrl, fetch }), new ControllerClient({ baseUrl, fetch })]
  await administrator.logInWithPassword('admin', ready.admin.password ?? '')
  const permissions = ['external-jwt-signer', 'ca'] as const
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
  const logIn = async (username: string, password: string | null, profile: string) => {
    const words = ['login', baseUrl, '-u', username, '--password-stdin', '--ca-file', caFile, '--profile', profile]
    const { exitCode, stderr } = await runCaptured(words, { env, input: { readAll: async () => `${password}\n` } })
    assert.equal(exitCode, 0, stderr)
  }
  await logIn('admin', ready.admin.password, 'default')
  await logIn(HOLDER.username, HOLDER.password, 'holder')
  return {
    env,
    administrator,
    holder,
    id,
    signer: () => administrator.signers.get(id),
    stateOf: async () => (await administrator.signers.get(id)).trust.state,
    write: (name: string, text: string) => {
      const path = join(env.HOME, name)
      writeFileSync(path, text)
      return path
    },
  }
}
const staged = createStage()
const setUp = () => staged

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
  assert.equal(trusted.stdout, `trusted signer idp (${id})\n`)
  assert.equal(await stateOf(), 'trusted')

  await holder.signers.patch(id, { audience: 'b' })
  assert.equal((await runCaptured(['signers', 'trust', 'idp', '--yes'], { env })).exitCode, 0, 'without a terminal')
  assert.equal(await stateOf(), 'trusted')
})

/** The commands by which an administrator changes the audience of the signer. */
const CHANGES: readonly (readonly [name: string, words: (file: string) => readonly string[], editor?: string])[] = [
  ['update', () => ['signers', 'update', 'idp', '--audience', 'changed']],
  ['edit', () => ['signers', 'edit', 'idp'], 'sed -i s/^audience.*/audience:\\ changed/'],
  [
    'edit that removes another member',
    () => ['signers', 'edit', 'idp'],
    'sed -i -e /^kid/d -e s/^audience.*/audience:\\ changed/',
  ],
  ['apply', (file) => ['apply', '-f', file]],
]

for (const [name, buildWords, editor = 'true'] of CHANGES) {
  test(`D55 ${name} of an untrusted signer shows what it trusts and asks, and is refused where it cannot ask`, async () => {
    const { env: home, holder, id, signer, stateOf, write } = await setUp()
    const env = { ...home, EDITOR: editor }
    const words = buildWords(write('state.yaml', 'signers: [{ name: idp, audience: changed }]'))
    const run = (ask: (question: string) => Promise<string>) =>
      runCaptured(words, { env, input: { isInteractive: true, ask }, isTTY: true })
    await holder.signers.patch(id, { audience: 'of the holder', kid: 'planted' })

    const unasked = await runCaptured(name === 'apply' ? [...words, '--yes'] : words, { env })
    assert.equal(unasked.exitCode, REFUSED, unasked.stderr)
    assert.ok(unasked.stderr.includes(`hint: review it first: countersign signers trust ${id}\n`), unasked.stderr)
    assert.equal((await run(async () => 'n')).exitCode, 1)
    assert.deepEqual([(await signer()).audience, await stateOf()], ['of the holder', 'untrusted'])

    const raced = await run(async (question) => {
      if (question.startsWith('Trust')) await holder.signers.patch(id, { kid: 'planted later' })
      return 'y'
    })
    assert.equal(raced.exitCode, CONFLICT, raced.stderr)
    assert.equal(await stateOf(), 'untrusted')

    const questions: string[] = []
    const done = await run(async (question) => {
      questions.push(question)
      return 'y'
    })
    assert.equal(done.exitCode, 0, done.stderr)
    assert.match(questions[0] ?? '', /^Trust the signer idp \(.+\) as it is\?/)
    assert.ok(done.stderr.includes(`is untrusted, last written by ${HOLDER.username}, `), done.stderr)
    const isCleared = editor.includes('/^kid/d')
    if (isCleared) assert.doesNotMatch(done.stderr, /^ {2}kid /m, 'it is cleared')
    else assert.match(done.stderr, /^ {2}kid +planted later$/m)
    assert.equal((await signer()).kid, isCleared ? null : 'planted later')
    assert.doesNotMatch(done.stderr, /^ {2}audience /m, 'it is replaced')
    assert.deepEqual([(await signer()).audience, await stateOf()], ['changed', 'trusted'])
  })
}

test('D55 a change of a trusted signer, of its name, tags or enabled, or by its untrusted writer, is not asked about', async () => {
  const { env, administrator, holder, id, stateOf, write } = await setUp()
  const ok = async (...words: string[]) => {
    const { exitCode, stderr } = await runCaptured(words, { env })
    assert.deepEqual([exitCode, stderr.includes('untrusted')], [0, false], stderr)
  }
  await administrator.signers.trust(id)
  await ok('signers', 'update', 'idp', '--audience', 'b')
  await holder.signers.patch(id, { audience: 'c' })
  await ok('signers', 'update', 'idp', '--set', 'tags.team=iam', '--set', 'enabled=true')
  await ok('apply', '--yes', '-f', write('tags.yaml', 'signers: [{ name: idp, tags: { team: b } }]'))
  await ok('signers', 'update', 'idp', '--audience', 'd', '--profile', 'holder')
  assert.equal(await stateOf(), 'untrusted')
  const file = write('dry.yaml', 'signers: [{ name: idp, audience: e }]')
  const dry = await runCaptured(['apply', '--dry-run', '-f', file], { env })
  assert.equal(dry.exitCode, 0, dry.stderr)
  assert.match(dry.stderr, /The signer idp \(.+\) is untrusted/)
})

test('D55 a change of an untrusted CA is refused where it cannot ask, and done once the CA is trusted', async () => {
  const { env, administrator, holder } = await setUp()
  const id = await holder.cas.create({
    name: 'devices',
    certPem: makeTestAuthority({ commonName: 'devices', keyPair: createTestKeyPair('ec256') }).pem,
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    identityRoles: ['planted'],
  })
  const stateOf = async () => (await administrator.cas.get(id)).trust.state
  const update = () => runCaptured(['cas', 'update', 'devices', '--ott-enrollment'], { env })
  const refused = await update()
  assert.equal(refused.exitCode, REFUSED, refused.stderr)
  assert.match(refused.stderr, /^ {2}identityRoles +\["planted"\]$/m)
  assert.match(refused.stderr, /^hint: review it first: countersign cas trust \S+$/m)
  assert.equal(await stateOf(), 'untrusted')
  assert.equal((await runCaptured(['cas', 'trust', 'devices', '--yes'], { env })).exitCode, 0)
  assert.equal((await update()).exitCode, 0)
  assert.equal(await stateOf(), 'trusted')
})
