import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createControllerStage, mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })

const claims = { iss: 'https://idp.example', aud: 'overlay', sub: 'alice', exp: 1_800_000_600, team: 'red' }
const testCase = (name: string, expect: object, more: object = {}) => ({
  name,
  claims: { ...claims, ...more },
  now: 1_800_000_000,
  expect,
})
const accepted = { outcome: 'accepted', externalId: 'alice', attributes: ['red'] }
const signer = {
  name: 'idp',
  enabled: true,
  issuer: 'https://idp.example',
  audience: 'overlay',
  jwksEndpoint: 'https://idp.example/jwks',
  certPem: null,
  acceptRule: 'claims.team == "red"',
  attributeRules: ['[claims.team]'],
  enrollAuthPolicyId: 'Default',
  tags: {},
}

function setUp(home: string) {
  mkdirSync(home, { recursive: true })
  const env = { HOME: home }
  const run = (line: string) => runCaptured(line.split(' '), { env })
  const write = (name: string, value: unknown) => {
    const path = join(home, name)
    writeFileSync(path, JSON.stringify(value), { mode: 0o600 })
    return path
  }
  return { env, run, write }
}

let started: ReturnType<typeof stage.start> | undefined

/** Logs in to the controller that the tests share. */
async function setUpOnline(home: string) {
  started ??= stage.start({ args: ['--dev'] })
  const { ready } = await started
  const set = setUp(join(stage.folder, home))
  const input = { readAll: async () => `${ready.admin.password}\n` }
  const login = `login ${ready.baseUrl} -u admin --password-stdin --ca-file ${ready.caFile}`
  const { exitCode, stderr } = await runCaptured(login.split(' '), { env: set.env, input })
  assert.equal(exitCode, 0, stderr)
  return { ready, ...set }
}

test('countersign test runs the cases of an export or of a file, without a controller', async () => {
  const { run, write } = setUp(join(stage.folder, 'offline'))
  const blue = testCase('blue is refused', { outcome: 'refused', check: 'acceptRule' }, { team: 'blue' })
  const passing = write('passing.yaml', {
    signers: [{ ...signer, testCases: [testCase('red is accepted', accepted), blue] }],
  })
  const passed = await run(`test -f ${passing}`)
  assert.deepEqual(
    [passed.exitCode, passed.stdout],
    [0, '✔ idp: red is accepted\n✔ idp: blue is refused\n2 passed\n'],
    passed.stderr,
  )

  const state = write('state.yaml', { signers: [signer, { ...signer, name: 'other', acceptRule: null }] })
  const cases = write('cases.yaml', {
    cases: [
      { signer: 'idp', ...blue },
      { signer: 'other', ...blue },
    ],
  })
  const failed = await run(`test -f ${cases} --state ${state}`)
  assert.equal(failed.exitCode, 1, failed.stderr)
  assert.match(
    failed.stdout,
    /✔ idp: blue is refused\n✘ other: blue is refused\n {4}expected .*"refused".*\n {4}received .*"accepted"/,
  )
  const json = JSON.parse((await run(`test -f ${cases} --state ${state} -o json`)).stdout)
  assert.deepEqual(
    json.map(({ passed }: { passed: boolean }) => passed),
    [true, false],
  )

  const wrong: readonly [unknown, RegExp][] = [
    [{ cases: [{ ...blue, signer: 'missing' }] }, /there is no signer/],
    [{ cases: [blue] }, /names no signer/],
    [{ cases: [] }, /has no test cases/],
    [{ cases: [{ ...blue, signer: 'idp', expect: { outcome: 'maybe' } }] }, /cannot be used/],
  ]
  for (const [file, message] of wrong) {
    const { exitCode, stderr } = await run(`test -f ${write('wrong.yaml', file)} --state ${state}`)
    assert.equal(exitCode, 2, stderr)
    assert.match(stderr, message)
  }
  const absent = await run(`test -f ${join(stage.folder, 'absent.yaml')}`)
  assert.equal(absent.exitCode, 2)
  assert.match(absent.stderr, /^error: \S+absent\.yaml does not exist\n(?!hint: it must be)/)
})

test('countersign decisions add-test-case makes a test case of a refused login, which the next save must pass', async () => {
  const { ready, env, run, write } = await setUpOnline('refused')
  const key = mintKey('RSA')
  const { jwksEndpoint: _endpoint, certPem: _certificate, attributeRules: _rules, ...trusted } = signer
  const body = write('body.json', { ...trusted, jwks: mintKeySet(key), enrollAuthPolicyId: 'default' })
  const created = await run(`api POST /edge/management/v1/ext-jwt-signers -d @${body}`)
  assert.equal(created.exitCode, 0, created.stderr)

  const now = Math.floor(Date.now() / 1000)
  const token = mintToken({ key, claims: { ...claims, iat: now, exp: now + 600, team: 'blue' } })
  const other = setUp(join(stage.folder, 'other'))
  const tokenFile = join(stage.folder, 'token')
  writeFileSync(tokenFile, token, { mode: 0o600 })
  const refused = await other.run(`login ${ready.baseUrl} --jwt ${tokenFile} --ca-file ${ready.caFile}`)
  assert.notEqual(refused.exitCode, 0)
  const listed = await run('decisions list --limit 1 -o json')
  const [{ id, reason }] = JSON.parse(listed.stdout)
  assert.equal(reason, 'rule-refused', listed.stdout)

  const added = await run(`decisions add-test-case ${id} --name blue`)
  assert.equal(added.exitCode, 0, added.stderr)
  const { testCases } = JSON.parse((await run('signers get idp -o json')).stdout)
  assert.deepEqual(
    testCases.map(({ name, expect }: { name: string; expect: object }) => [name, expect]),
    [['blue', { outcome: 'refused', check: 'acceptRule' }]],
  )
  const wider = await runCaptured(['signers', 'update', 'idp', '--accept-rule', 'true'], { env })
  assert.equal(wider.exitCode, 6, wider.stderr)
  assert.match(wider.stderr, /“blue”: expected refused by acceptRule, received accepted as "alice"/)
  const same = await runCaptured(['signers', 'update', 'idp', '--accept-rule', 'claims.team != "blue"'], { env })
  assert.equal(same.exitCode, 0, same.stderr)
})

test('countersign explain --add-test-case makes a test case of a verified token, also of an accepted one', async () => {
  const { run, write } = await setUpOnline('explained')
  const key = mintKey('RSA')
  const issuer = 'https://explained.example'
  const { jwksEndpoint: _endpoint, certPem: _certificate, attributeRules: _rules, ...trusted } = signer
  const members = { ...trusted, name: 'explained', issuer, jwks: mintKeySet(key), enrollAuthPolicyId: 'default' }
  const created = await run(`api POST /edge/management/v1/ext-jwt-signers -d @${write('body.json', members)}`)
  assert.equal(created.exitCode, 0, created.stderr)
  const now = Math.floor(Date.now() / 1000)
  const add = async (team: string, with_ = key) => {
    const token = mintToken({ key: with_, claims: { ...claims, iss: issuer, iat: now, exp: now + 600, team } })
    const file = join(stage.folder, 'explained', `token-${team}`)
    writeFileSync(file, token, { mode: 0o600 })
    return run(`explain ${file} --add-test-case`)
  }
  const forged = await add('red', mintKey('RSA', 'of another'))
  assert.match(forged.stderr, /cannot become a test case/)
  const red = await add('red')
  assert.match(red.stderr, /added to the test cases of explained: accepted token of alice/)
  await add('blue')
  const { testCases } = JSON.parse((await run('signers get explained -o json')).stdout)
  assert.deepEqual(
    testCases.map(({ expect }: { expect: object }) => expect),
    [
      { outcome: 'accepted', externalId: 'alice' },
      { outcome: 'refused', check: 'acceptRule' },
    ],
  )
  const narrower = await runCaptured(['signers', 'update', 'explained', '--accept-rule', 'claims.team == "green"'], {
    env: { HOME: join(stage.folder, 'explained') },
  })
  assert.equal(narrower.exitCode, 6, narrower.stderr)
  assert.match(narrower.stderr, /accepted token of alice/)
})

test('countersign what-if prints the effect of changes, and a lock-out needs its own confirmation', async () => {
  const { env, run, write } = await setUpOnline('online')
  const body = { primary: { updb: { allowed: false }, extJwt: { allowed: false } } }
  const changes = write('changes.yaml', { changes: [{ op: 'update', kind: 'auth-policy', id: 'default', body }] })
  const predicted = await run(`what-if -f ${changes}`)
  assert.equal(predicted.exitCode, 0, predicted.stderr)
  assert.match(predicted.stdout, /would be refused \(not-allowed\)/)
  const { sessionsEnded } = JSON.parse((await run(`what-if -f ${changes} -o json --limit 10`)).stdout)
  assert.ok(sessionsEnded > 0)
  assert.equal((await run(`what-if -f ${changes} -o name`)).stdout, 'admin\n')

  const file = write('policy.yaml', { policies: [{ name: 'Default', ...body }] })
  const refused = await run(`apply -f ${file} --yes`)
  assert.equal(refused.exitCode, 6, refused.stderr)
  assert.match(refused.stderr, /no administrator could log in.*hint: .*--confirm-lock-out/s)
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return 'no'
  }
  const declining = { isInteractive: true, ask }
  const declined = await runCaptured(['apply', '-f', file, '--yes'], {
    env,
    input: { readAll: async () => '', ...declining },
  })
  assert.deepEqual([declined.exitCode, asked.length], [6, 1], declined.stderr)
  const confirmed = await run(`apply -f ${file} --yes --confirm-lock-out`)
  assert.match(`${confirmed.stdout}${confirmed.stderr}`, /1\/1 policy Default|done: 1 of 1|session/)
})
