import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import { createCliStage } from './cli-stage.ts'
import { runCountersign } from './run-countersign.ts'

const { setUp } = createCliStage({ after })

const REQUEST_TOKEN = 'the-request-token-of-the-job'
const CONDITIONS = { repository: 'acme/infra', ref: 'refs/heads/main', repository_owner: 'acme' }
type Claims = Readonly<Record<string, unknown>>

/** Stands in for GitHub: an issuer with its keys, and the address at which a job requests its token. */
async function startGitHub() {
  const key = mintKey('P-256')
  const state: { claims: Claims; age: number; issued: string[] } = { claims: {}, age: 0, issued: [] }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    const send = (json: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (url.pathname === '/.well-known/openid-configuration')
      return send({ issuer: issuer(), jwks_uri: `${issuer()}/jwks`, token_endpoint: `${issuer()}/none` })
    if (url.pathname === '/jwks') return send(mintKeySet(key))
    if (request.headers.authorization !== `Bearer ${REQUEST_TOKEN}`) return send({ message: 'no' }, 401)
    const now = Math.floor(Date.now() / 1000)
    const own = {
      iss: issuer(),
      aud: url.searchParams.get('audience'),
      iat: now - state.age,
      exp: now - state.age + 300,
    }
    const token = mintToken({ key, alg: 'ES256', claims: { sub: 'repo:acme/infra', ...state.claims, ...own } })
    state.issued.push(token)
    return send({ count: 1, value: token })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { state, url: issuer() }
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
  const record = { name: 'GitHub', kind: 'oidc', issuer: github.url, jwksUri: `${github.url}/jwks` } as const
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
    ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token?api-version=2.0`,
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

  const secrets = [REQUEST_TOKEN, traded.stdout.trim(), ...github.state.issued]
  for (const text of readFolder(runner)) for (const secret of secrets) assert.ok(!text.includes(secret))
  assert.deepEqual(readdirSync(runner), ['state.yaml'], 'the runner has nothing but the file')
})
