import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startWorkloadIssuer } from '@countersign/testkit'
import { createCliStage } from './cli-stage.ts'
import { runCountersign } from './run-countersign.ts'

const { setUp } = createCliStage({ after })

const LIFE_SECONDS = 300
const REQUEST_TOKEN = 'the-request-token-of-the-job'
const CONDITIONS = { repository: 'acme/infra', ref: 'refs/heads/main', repository_owner: 'acme' }
type Claims = Readonly<Record<string, unknown>>

/** Stands in for GitHub: an issuer with its keys, and the address at which a job requests its token. */
async function startGitHub() {
  const platform = await startWorkloadIssuer()
  after(() => platform.close())
  const state: { claims: Claims; age: number } = { claims: {}, age: 0 }
  const requestUrl = platform.serveJobs(REQUEST_TOKEN, () => {
    const issuedAt = Math.floor(Date.now() / 1000) - state.age
    return { ...state.claims, iat: issuedAt, nbf: issuedAt, exp: issuedAt + LIFE_SECONDS }
  })
  return { state, url: platform.issuer, requestUrl }
}

/** All files below a folder, with their text. */
function readFolder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}

test('a CI job applies a file with its own token, and no secret on disk; other jobs are refused with the condition that they fail', async () => {
  const github = await startGitHub()
  const { home, baseUrl, caFile, run, logIn } = await setUp()
  assert.equal((await logIn()).exitCode, 0)
  const admin = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await run([...args, '-q'])
    assert.equal(exitCode, 0, stderr)
    return stdout
  }
  const session = JSON.parse(readFileSync(join(home, '.config/countersign/profiles/default.json'), 'utf8')).session
  const { createNodeFetch } = await import('@countersign/sdk/node')
  const { HostedClient } = await import('@countersign/sdk')
  const fetch = createNodeFetch({ ca: readFileSync(caFile, 'utf8'), onlyCa: true })
  const hosted = new HostedClient({ baseUrl, fetch, session })
  const record = { name: 'GitHub', kind: 'oidc', issuer: github.url } as const
  const { id: identityProviderId } = await hosted.providers.create(record)
  const account = { name: 'deploy', kind: 'federated', identityProviderId, conditions: CONDITIONS, role: 'admin' }
  await hosted.accounts.create(account as Parameters<typeof hosted.accounts.create>[0])
  const audience = (await admin('accounts', 'audience')).trim()

  const runner = join(home, 'runner')
  mkdirSync(runner)
  writeFileSync(join(runner, 'state.yaml'), 'identities:\n  - name: built-by-ci\n')
  const env = {
    COUNTERSIGN_HOSTED_URL: baseUrl,
    COUNTERSIGN_CA_FILE: caFile,
    COUNTERSIGN_AUDIENCE: audience,
    ACTIONS_ID_TOKEN_REQUEST_URL: github.requestUrl,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
  }
  const job = (claims: Claims, args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    github.state.claims = claims
    return runCountersign(runner, args, { env: { ...env, ...more } })
  }
  const apply = ['apply', '-f', 'state.yaml', '--yes', '-q']

  const applied = await job(CONDITIONS, apply)
  assert.deepEqual([applied.exitCode, applied.stdout], [0, '+ identity built-by-ci\ndone: 1 of 1\n'], applied.stderr)
  assert.match(await admin('identities', 'list'), /built-by-ci/)
  const who = await job(CONDITIONS, ['whoami', '-q'])
  assert.match(who.stdout, /^name +deploy$/m)
  assert.match(who.stdout, /^signedInBy +GitHub Actions, for the audience /m)

  const others: readonly [what: string, claims: Claims, named: RegExp][] = [
    ['branch', { ref: 'refs/heads/evil' }, /ref is "refs\/heads\/evil"/],
    ['repository', { repository: 'acme/other' }, /repository is "acme\/other"/],
    ['organization', { repository: 'evil/infra', repository_owner: 'evil' }, /repository_owner is "evil"/],
  ]
  for (const [what, claims, named] of others) {
    const { exitCode, stdout, stderr } = await job({ ...CONDITIONS, ...claims }, apply)
    assert.deepEqual([exitCode, stdout], [4, ''], `${what}: ${stderr}`)
    assert.match(stderr, named, what)
  }

  const traded = await job(CONDITIONS, ['token', '--trade', '-q'])
  assert.equal(traded.exitCode, 0, traded.stderr)
  const later = { COUNTERSIGN_API_TOKEN: traded.stdout.trim(), ACTIONS_ID_TOKEN_REQUEST_URL: '' }
  const again = await job(CONDITIONS, apply, later)
  assert.deepEqual([again.exitCode, again.stdout], [0, 'nothing to do\n'], again.stderr)

  // A token that has nearly expired is traded by the command itself.
  github.state.age = 270
  const short = await job(CONDITIONS, ['token', '-q'])
  assert.equal(short.exitCode, 0, short.stderr)
  const own = { COUNTERSIGN_API_TOKEN: short.stdout.trim(), ACTIONS_ID_TOKEN_REQUEST_URL: '' }
  const last = await job(CONDITIONS, apply, own)
  assert.deepEqual([last.exitCode, last.stdout], [0, 'nothing to do\n'], last.stderr)

  for (const text of readFolder(runner)) {
    // Also no token of the platform, all of which are JWTs.
    for (const secret of [REQUEST_TOKEN, traded.stdout.trim(), 'eyJ']) assert.ok(!text.includes(secret))
  }
  assert.deepEqual(readdirSync(runner), ['state.yaml'], 'the runner has nothing but the file')
})
