import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createControllerStage } from '@countersign/testkit'
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
})

test('countersign what-if prints the effect of changes, and a lock-out needs its own confirmation', async () => {
  const { ready } = await stage.start({ args: ['--dev'] })
  const { env, run, write } = setUp(join(stage.folder, 'online'))
  const input = { readAll: async () => `${ready.admin.password}\n` }
  const login = `login ${ready.baseUrl} -u admin --password-stdin --ca-file ${ready.caFile}`
  assert.equal((await runCaptured(login.split(' '), { env, input })).exitCode, 0)
  const body = { primary: { updb: { allowed: false }, extJwt: { allowed: false } } }
  const changes = write('changes.yaml', { changes: [{ op: 'update', kind: 'auth-policy', id: 'default', body }] })
  const predicted = await run(`what-if -f ${changes}`)
  assert.equal(predicted.exitCode, 0, predicted.stderr)
  assert.match(predicted.stdout, /would be refused \(not-allowed\)/)
  const { sessionsEnded } = JSON.parse((await run(`what-if -f ${changes} -o json --limit 10`)).stdout)
  assert.ok(sessionsEnded > 0)

  const file = write('policy.yaml', { policies: [{ name: 'Default', ...body }] })
  const refused = await run(`apply -f ${file} --yes`)
  assert.equal(refused.exitCode, 6, refused.stderr)
  assert.match(refused.stderr, /confirmLockOut|confirm-lock-out/)
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
