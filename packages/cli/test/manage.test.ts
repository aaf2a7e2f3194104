import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Credentials, HostedClient } from '@countersign/sdk'
import { createNodeFetch } from '@countersign/sdk/node'
import { createControllerStage } from '@countersign/testkit'
import { parse, stringify } from 'yaml'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })
const started = stage.start({ args: ['--dev'] })
let homes = 0

/** An administrator who is logged in, with a new home directory. */
async function setUp(controller: ReturnType<typeof stage.start> = started) {
  const { ready } = await controller
  const home = join(stage.folder, `home-${homes++}`)
  mkdirSync(home)
  const env = { HOME: home, EDITOR: 'true' }
  const run = (line: string, more: readonly string[] = []) => runCaptured([...line.split(' '), ...more], { env })
  const logIn = async (more = '') => {
    const words = `login ${ready.baseUrl} -u admin --password-stdin --ca-file ${ready.caFile}${more}`.split(' ')
    const input = { readAll: async () => `${ready.admin.password}\n` }
    const { exitCode, stderr } = await runCaptured(words, { env, input })
    assert.equal(exitCode, 0, stderr)
  }
  await logIn()
  const ok = async (line: string, more: readonly string[] = []) => {
    const { exitCode, stdout, stderr } = await run(line, more)
    assert.equal(exitCode, 0, `${line}: ${stderr}`)
    return stdout
  }
  const write = (name: string, text: string) => {
    const path = join(home, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  return { ready, home, env, run, ok, logIn, write }
}

const SHARED =
  '--issuer https://token.actions.githubusercontent.com --audience a --jwks-endpoint https://nowhere.invalid/jwks'

test('doctor reports a signer whose keys could not be fetched, and one whose keys are loaded', async () => {
  const { run, ok } = await setUp()
  await ok(
    'signers create nowhere --issuer https://nowhere.example --audience a --jwks-endpoint https://nowhere.invalid/jwks',
  )
  assert.equal((await run('signers refresh nowhere')).exitCode, 1)
  const failing = await run('doctor -q')
  assert.equal(failing.exitCode, 1, failing.stdout)
  assert.match(failing.stdout, /✘ signer nowhere: .+\n {2}hint: run: countersign signers refresh nowhere\n/)
  assert.match(failing.stdout, /✔ signer local-provider: its keys are loaded\n/)
  await ok('signers delete nowhere --yes')
  assert.equal((await run('doctor -q')).exitCode, 0)
})

test('D58 doctor names what --dev left over, and fails while its signer is enabled', async () => {
  const dataDir = join(stage.folder, 'left')
  const dev = await stage.start({ args: ['--dev'], dataDir, env: { COUNTERSIGN_ADMIN_PASSWORD: 'password of left' } })
  await dev.stop()
  const plain = stage.start({ dataDir })
  const { run, ok } = await setUp(
    plain.then((controller) => {
      const admin = { ...controller.ready.admin, password: 'password of left' }
      return { ...controller, ready: { ...controller.ready, admin } }
    }),
  )
  const records =
    /✔ demo records: left over from --dev: signer local-provider, (identity \w+, ){3}identity provider Local/
  assert.match(await ok('doctor -q'), records)
  await ok('signers enable local-provider')
  const enabled = await run('doctor -q')
  assert.equal(enabled.exitCode, 1)
  assert.match(enabled.stdout, /✘ demo records: left over from --dev: signer local-provider/)
  await ok('signers delete local-provider --yes')
  assert.doesNotMatch(await ok('doctor -q'), /demo records/)
})

test('the hints of doctor name the profile that was checked', async () => {
  const { ready, run, logIn } = await setUp()
  await logIn(' --profile other')
  await run('logout --profile other')
  const { stdout } = await run('doctor -q --profile other')
  assert.match(stdout, new RegExp(`hint: run: countersign login ${ready.baseUrl} --profile other\n`))
  await run('logout')
  assert.match((await run('doctor -q')).stdout, new RegExp(`hint: run: countersign login ${ready.baseUrl}\n`))
})

test('warnings about a signer are printed when it is saved and shown; a correct signer has none', async () => {
  const { run, ok, env, write } = await setUp()
  const warning = /^warning: signer gh: this issuer signs tokens for everyone/m
  const created = await run(`signers create gh ${SHARED} --enroll-to-cert -q`)
  assert.equal(created.exitCode, 0, created.stderr)
  assert.match(created.stderr, warning)
  assert.match(await ok('signers show gh'), /^keyStatus\.warnings +this issuer signs tokens for everyone/m)
  assert.equal(JSON.parse(await ok('signers show gh -o json')).keyStatus.warnings.length, 1)
  assert.match((await run('signers update gh --audience b -q')).stderr, warning)
  const edited = await runCaptured(['signers', 'edit', 'gh', '-q'], {
    env: { ...env, EDITOR: 'sed -i s/^audience.*/audience:\\ c/' },
  })
  assert.match(edited.stderr, warning)
  const file = write('gh.yaml', 'signers: [{ name: gh, audience: d }]')
  assert.match((await run(`apply --yes -q -f ${file}`)).stderr, warning)
  assert.match((await run('doctor -q')).stdout, /signer gh: .*\n {2}hint: /)
  const corrected = await run('signers update gh -q --set', ['requiredClaims={repository_owner: acme}'])
  assert.deepEqual([corrected.exitCode, corrected.stderr], [0, ''])
  await ok('signers delete gh --yes')
})

const TYPOS: readonly (readonly [line: string, typo: string, right: string])[] = [
  ['signers update slip --set', 'enable=false', 'enabled=false'],
  ['policies create new-policy --set', 'secondary.requireTopt=true', 'secondary.requireTotp=true'],
  ['policies update slip --set', 'primary={updb: {allow: true}}', 'primary={updb: {allowed: true}}'],
  ['identities update slip --set', 'roleAttribute=[a]', 'attributes=[a]'],
  ['identities update slip --set', 'createdAt=2026-01-01', 'tags.createdAt=2026-01-01'],
  ['identities create new-identity --set', 'enrolment.ott=true', 'enrollment.ott=true'],
]

test('an unknown member is refused in --set and in -f, and nothing is changed', async () => {
  const { run, ok, write } = await setUp()
  await ok(
    'signers create slip --issuer https://slip.example --audience a --jwks-endpoint https://nowhere.invalid/jwks',
  )
  await ok('policies create slip')
  await ok('identities create slip')
  for (const [line, typo, right] of TYPOS) {
    const before = await ok('export')
    const refused = await run(line, [typo])
    assert.equal(refused.exitCode, 2, `${line} ${typo}: ${refused.stdout}`)
    assert.match(refused.stderr, /^error: --set: there is no member ".+"\nhint: members.* are .+\n$/)
    assert.equal(await ok('export'), before, line)
    await ok(line, [right])
  }
  const inFile = await run(`signers update slip -f ${write('slip.yaml', 'enabld: false')}`)
  assert.equal(inFile.exitCode, 2)
  assert.match(inFile.stderr, /slip\.yaml: there is no member "enabld"/)
  await ok(`signers update slip -f ${write('right.yaml', 'enabled: false')}`)
})

test('an unknown member is refused in the editor and in a file for apply', async () => {
  const { env, ok, run, write } = await setUp()
  await ok('policies create edited')
  const edit = (to: string) =>
    runCaptured(['policies', 'edit', 'edited'], { env: { ...env, EDITOR: `sed -i s/requireTotp.*/${to}/` } })
  const refused = await edit('requireTopt:\\ true')
  assert.equal(refused.exitCode, 2)
  assert.match(refused.stderr, /the edited text: there is no member "secondary\.requireTopt"/)
  assert.equal((await edit('requireTotp:\\ true')).exitCode, 0)
  const apply = (secondary: object) =>
    run(`apply --yes -f ${write('state.yaml', stringify({ policies: [{ name: 'edited', secondary }] }))}`)
  const refusedFile = await apply({ requireTopt: false })
  assert.equal(refusedFile.exitCode, 2)
  assert.match(refusedFile.stderr, /policies\[0\] \(edited\): there is no member "secondary\.requireTopt"/)
  assert.equal((await apply({ requireTotp: false })).exitCode, 0)
})

test('a whole response of the API can be sent back', async () => {
  const { ok, write } = await setUp()
  await ok(
    'signers create whole --issuer https://whole.example --audience a --jwks-endpoint https://nowhere.invalid/jwks',
  )
  await ok('policies create whole')
  await ok('identities create whole')
  await ok('identities disable whole --minutes 5')
  for (const plural of ['signers', 'policies', 'identities']) {
    const response = JSON.parse(await ok(`${plural} show whole -o json`))
    assert.ok(response.createdAt && response._links)
    await ok(`${plural} update whole -f ${write('whole.json', JSON.stringify(response))}`)
  }
})

test('an export of a controller with API accounts can be applied to another controller', async () => {
  const { ready, ok, write } = await setUp()
  const fetch = createNodeFetch({ ca: readFileSync(ready.caFile, 'utf8') })
  const credentials = await Credentials.fromFile(join(ready.dataDir, 'credentials.json'))
  const hosted = new HostedClient({ baseUrl: ready.baseUrl, fetch, credentials })
  const [network] = await hosted.networks.page().then(({ items }) => items)
  await hosted.connect(network?.id ?? '')
  await ok('identities create erin --attribute sales')
  const [account] = JSON.parse(await ok('identities list -o json --filter', ['name contains "api-account:"']))
  const { name: policy } = JSON.parse(await ok('policies show api-accounts -o json'))

  // The local provider of each controller has its own address, which its API accounts depend on.
  const exported = await ok('export --kind signers --kind policies --kind identities')
  const file = parse(exported)
  const names = (kind: string) => file[kind].map(({ name }: { name: string }) => name)
  assert.ok(names('identities').includes('erin') && !names('identities').includes(account.name))
  assert.ok(names('policies').includes('Default') && !names('policies').includes(policy))

  const other = await setUp(stage.start({ args: ['--dev'], dataDir: join(stage.folder, 'other') }))
  await other.ok(`apply --yes -f ${write('state.yaml', exported)}`)
  assert.match(await other.ok(`apply --yes -f ${write('state.yaml', exported)}`), /^nothing to do$/m)
  assert.match(await other.ok('identities show erin'), /sales/)

  const older = {
    policies: [...file.policies, { name: policy, primary: {}, secondary: {} }],
    identities: [{ name: account.name, isAdmin: true, authPolicyId: policy }, { name: 'frank' }],
  }
  const applied = await other.run(`apply --yes -f ${write('older.yaml', stringify(older))}`)
  assert.equal(applied.exitCode, 0, applied.stderr)
  assert.equal(applied.stdout, '+ identity frank\ndone: 1 of 1\n')
  assert.ok(applied.stderr.includes(`skipped: identity ${account.name}, `), applied.stderr)
  assert.ok(applied.stderr.includes(`skipped: policy ${policy}, `), applied.stderr)

  await ok('identities create locked --policy', [policy])
  const kept = parse(await ok('export'))
  assert.ok(
    kept.policies.some(({ name }: { name: string }) => name === policy),
    'another identity uses the policy',
  )
  await ok('identities delete locked --yes')
})

test('login and doctor notice a wrong password despite a cached token', async () => {
  const { ready, run, ok, write } = await setUp()
  const good = readFileSync(join(ready.dataDir, 'credentials.json'), 'utf8')
  const bad = JSON.stringify({ ...JSON.parse(good), password: 'wrong' })
  const file = write('account.json', good)
  const logIn = `login ${ready.baseUrl} --credentials ${file} --ca-file ${ready.caFile} --profile account`
  await ok(logIn)
  const healthy = await run('doctor -q --profile account')
  assert.match(healthy.stdout, /✔ API account: the provider issues a token.+\n✔ session: /)
  write('account.json', bad)
  await ok('networks list --profile account')
  const doctor = await run('doctor -q --profile account')
  assert.equal(doctor.exitCode, 1)
  assert.match(doctor.stdout, /✘ API account: /)
  assert.equal((await run(logIn)).exitCode, 4)
  write('account.json', good)
  await ok(logIn)
})

test('a filter with its own order and limit is sent unchanged', async () => {
  const { ok } = await setUp()
  for (const name of ['order-a', 'order-b', 'order-c']) await ok(`identities create ${name}`)
  const list = async (filter: string) =>
    JSON.parse(await ok('identities list -o json --filter', [filter])).map(({ name }: { name: string }) => name)
  assert.deepEqual(await list('name contains "order-" sort by name desc'), ['order-c', 'order-b', 'order-a'])
  assert.deepEqual(await list('name contains "order-" sort by name desc skip 1 limit 1'), ['order-b'])
  assert.deepEqual(await list('name contains "order-"'), ['order-a', 'order-b', 'order-c'])
  assert.deepEqual(await list('name = "order- sort by name limit 1"'), [])
})

test('the end of access and the life of sessions have flags, are shown, and can be filtered by', async () => {
  const { ok, run } = await setUp()
  await ok('identities create temp --expires-at 2100-01-31T18:00:00Z --attribute a')
  const temp = JSON.parse(await ok('identities show temp -o json'))
  assert.equal(temp.expiresAt, '2100-01-31T18:00:00.000Z')
  assert.deepEqual(temp.attributeOrigins, [{ attribute: 'a', origin: 'manual' }])
  assert.match(await ok('identities list'), /ACCESS UNTIL[\s\S]*2100-01-31T18:00:00\.000Z/)
  const filter = 'expiresAt > datetime(2100-01-01T00:00:00Z)'
  assert.deepEqual(
    JSON.parse(await ok('identities list -o json --filter', [filter])).map(({ name }: { name: string }) => name),
    ['temp'],
  )
  assert.equal((await run('identities update temp --expires-at tomorrow')).exitCode, 2)
  await ok('identities update temp --set expiresAt=null')
  assert.equal(JSON.parse(await ok('identities show temp -o json')).expiresAt, null)
  await ok(
    'policies create short --session-idle-minutes 5 --session-max-minutes 60 --session-end-with-token --certificate-max-days 30 --renewal-needs-token --renewal-grace-hours 0 --allow-jwt --require-acr gold --require-amr otp --max-auth-age-seconds 300',
  )
  const { session, primary, certificate } = JSON.parse(await ok('policies show short -o json'))
  assert.deepEqual(certificate, { maxDays: 30, renewalNeedsToken: true, renewalGraceHours: 0 })
  assert.deepEqual(session, { idleMinutes: 5, maxMinutes: 60, endWithToken: true })
  const { requireAcr, requireAmr, maxAuthAgeSeconds } = primary.extJwt
  assert.deepEqual([requireAcr, requireAmr, maxAuthAgeSeconds], [['gold'], ['otp'], 300])
  await ok('policies update short --no-session-end-with-token')
  assert.equal(JSON.parse(await ok('policies show short -o json')).session.idleMinutes, 5)
})
