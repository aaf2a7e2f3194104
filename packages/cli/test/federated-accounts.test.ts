import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createControllerStage, startWorkloadIssuer } from '@countersign/testkit'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })

/** An administrator who is logged in, a CI platform, and a job, which has no files. */
async function setUp() {
  const { ready } = await stage.start({ args: ['--dev'] })
  const platform = await startWorkloadIssuer()
  after(() => platform.close())
  const home = join(stage.folder, 'home')
  mkdirSync(home)
  const login = `login ${ready.baseUrl} -u admin --password-stdin --ca-file ${ready.caFile}`.split(' ')
  const input = { readAll: async () => `${ready.admin.password}\n` }
  assert.equal((await runCaptured(login, { env: { HOME: home }, input })).exitCode, 0)
  const run = (line: string) => runCaptured(line.split(' '), { env: { HOME: home } })
  const audience = (await run('accounts audience')).stdout.trim()
  /** Runs a command as a job: its only credential is the token of the platform. */
  const runAsJob = (line: string, claims: Readonly<Record<string, unknown>> = {}) => {
    const env = { HOME: '/dev/null', COUNTERSIGN_API_TOKEN: platform.jobToken({ aud: audience, ...claims }) }
    return runCaptured(`${line} --hosted-url ${ready.baseUrl} --ca-file ${ready.caFile}`.split(' '), { env })
  }
  return { platform, audience, run, runAsJob }
}

test('Y-01 a job of GitHub Actions is given an account by one command, and needs no secret', async () => {
  const { platform, audience, run, runAsJob } = await setUp()
  assert.match(audience, /^urn:countersign:organization:/)
  const flags = `--github acme/app --branch main --issuer ${platform.issuer}`
  const created = await run(`accounts create deploy ${flags} --role admin`)
  assert.equal(created.exitCode, 0, created.stderr)
  assert.match(
    created.stdout,
    /^created identity provider GitHub Actions\ncreated account deploy \([-\w]+\), which needs/,
  )
  assert.ok(created.stdout.includes(`audience: ${audience}\n`))
  assert.match(created.stdout, /id-token: write/)
  const listed = await runAsJob('networks list -q')
  assert.match(listed.stdout, /local/, listed.stderr)
  for (const [claims, named] of [
    [{ ref: 'refs/heads/evil' }, /ref is "refs\/heads\/evil"/],
    [{ repository: 'acme/other' }, /repository is "acme\/other"/],
    [{ repository: 'evil/app', repository_owner: 'evil' }, /repository is "evil\/app"/],
  ] as const) {
    const refused = await runAsJob('networks list -q', claims)
    assert.notEqual(refused.exitCode, 0)
    assert.match(refused.stderr, named)
  }
  const second = await run(`accounts create any ${flags.replace('--branch main ', '')} -o json`)
  assert.equal(second.exitCode, 0, second.stderr)
  assert.deepEqual(JSON.parse(second.stdout).conditions, { repository: 'acme/app' })
  assert.match(second.stderr, /warning: jobs of every branch of acme\/app/)
  const shown = await run('accounts list')
  assert.match(shown.stdout, /deploy +federated +admin/)
  const one = await run('accounts show deploy')
  assert.match(one.stdout, /conditions.ref +refs\/heads\/main/)
  assert.equal((await run('accounts show none')).exitCode, 5)
})

test('Y-03 flags for accounts without secrets are checked, and broad conditions need a confirmation', async () => {
  const home = join(stage.folder, 'home')
  const run = (line: string) => runCaptured(line.split(' '), { env: { HOME: home } })
  for (const line of [
    'accounts create x --github acme',
    'accounts create x --github acme/app --gitlab acme/app',
    'accounts create x --environment production',
    'accounts create x --condition repository',
    'accounts create x --condition repository=acme/app --condition-glob repository=acme/*',
    'accounts create x --condition-glob repository=acme/a* --condition-glob repository=acme/b*',
    'accounts create x --github acme/app --condition repository=acme/other',
    'accounts create x --kubernetes ci/deployer',
  ]) {
    assert.equal((await run(line)).exitCode, 2, line)
  }
  const unnamed = await run('accounts create x --kubernetes ci/deployer')
  assert.match(unnamed.stderr, /--issuer URL.* or --provider NAME/)
  const broad = 'accounts create broad --provider GitHub_Actions --condition environment=production'.split(' ')
  const words = broad.map((word) => word.replace('_', ' '))
  const refused = await runCaptured(words, { env: { HOME: home } })
  assert.notEqual(refused.exitCode, 0)
  assert.match(refused.stderr, /confirmBroad/)
  const confirmed = await runCaptured([...words, '--confirm-broad'], { env: { HOME: home } })
  assert.equal(confirmed.exitCode, 0, confirmed.stderr)
  const globs = 'accounts create globs --condition-glob repository=acme/* --condition ref=a --condition ref=b -o json'
  const created = await runCaptured([...globs.split(' '), '--provider', 'GitHub Actions'], { env: { HOME: home } })
  assert.deepEqual(JSON.parse(created.stdout).conditions, { ref: ['a', 'b'], repository: { glob: 'acme/*' } })
})

test('Y-03 every setting of an account without a secret is changed by a flag, and what is not named is kept', async () => {
  const home = join(stage.folder, 'home')
  const run = (line: string) => runCaptured(line.split(' '), { env: { HOME: home } })
  const shown = async () => JSON.parse((await run('accounts show changed -o json')).stdout)
  const provider = ['--provider', 'GitHub Actions']
  const create = 'accounts create first --condition repository=acme/app --role network-admin'.split(' ')
  assert.equal((await runCaptured([...create, ...provider], { env: { HOME: home } })).exitCode, 0)
  const renamed = await run('accounts update first --rename changed --email ops@acme.example')
  assert.equal(renamed.exitCode, 0, renamed.stderr)
  const { name, contactEmail, role, conditions } = await shown()
  assert.deepEqual(
    { name, contactEmail, role, conditions },
    {
      name: 'changed',
      contactEmail: 'ops@acme.example',
      role: 'network-admin',
      conditions: { repository: 'acme/app' },
    },
  )
  const globs = 'accounts update changed --condition-glob repository=acme/* --condition ref=a --condition ref=b'
  assert.equal((await run(globs)).exitCode, 0)
  assert.deepEqual((await shown()).conditions, { ref: ['a', 'b'], repository: { glob: 'acme/*' } })
  const both = await run('accounts update changed --condition ref=a --condition-glob ref=refs/*')
  assert.deepEqual([both.exitCode, both.stdout], [2, ''])
  assert.match(both.stderr, /several conditions for ref/)
  const broad = 'accounts update changed --condition environment=production'
  assert.match((await run(broad)).stderr, /confirmBroad/)
  assert.deepEqual((await shown()).conditions, { ref: ['a', 'b'], repository: { glob: 'acme/*' } })
  assert.equal((await run(`${broad} --confirm-broad`)).exitCode, 0)
  const { conditions: last, contactEmail: email } = await shown()
  assert.deepEqual([last, email], [{ environment: 'production' }, 'ops@acme.example'])
})
