import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createControllerStage } from '@countersign/testkit'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })
const started = stage.start({ args: ['--dev'] })
const FAILED = 1
const USAGE = 2
const CONFLICT = 6

test('providers creates, tests and deletes a provider, and account-jobs repeats what failed there', async (t) => {
  const state = { status: 403 }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const send = (status: number, json: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (path === '/.well-known/openid-configuration') {
      return send(200, { issuer: base, jwks_uri: `${base}/keys`, token_endpoint: `${base}/token` })
    }
    return send(state.status, { client_id: `c${Date.now()}`, client_secret: 's' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const { ready } = await started
  const env = { HOME: join(stage.folder, 'home') }
  mkdirSync(env.HOME)
  const input = { readAll: async () => `${ready.admin.password}\n` }
  const login = ['login', ready.baseUrl, '-u', 'admin', '--password-stdin', '--ca-file', ready.caFile]
  assert.equal((await runCaptured(login, { env, input })).exitCode, 0)
  const run = (...words: string[]) => runCaptured(words, { env })
  const file = join(stage.folder, 'admin.json')
  const create = () => run('providers', 'create', 'idp', '--issuer', base, '--audience', 'a', '--administration', file)

  writeFileSync(file, 'no JSON')
  assert.equal((await create()).exitCode, USAGE)
  const administration = { kind: 'rfc7591', registrationUrl: `${base}/register`, registrationToken: 'secret-token' }
  writeFileSync(file, JSON.stringify(administration))
  const created = await create()
  assert.equal(created.exitCode, 0, created.stderr)
  const listed = await run('providers', 'list', '-o', 'json')
  assert.equal(listed.stdout.includes('secret-token'), false)
  assert.match((await run('providers', 'list')).stdout, /idp +oidc +rfc7591/)

  const shown = await run('providers', 'show', 'idp')
  assert.match(shown.stdout, /audience +a\n/)
  assert.equal(shown.stdout.includes('secret-token'), false)
  assert.equal((await run('providers', 'show', 'none')).exitCode, 5)

  const tested = await run('providers', 'test', 'idp')
  assert.equal(tested.exitCode, FAILED, tested.stderr)
  assert.match(tested.stdout, /registrationToken is missing or refused/)
  const out = join(stage.folder, 'credentials.json')
  assert.notEqual((await run('accounts', 'create', 'ci', '--provider', 'idp', '--out', out)).exitCode, 0)
  const createAgain = ['accounts', 'create', 'again', '--provider', 'idp', '--out', join(stage.folder, 'again.json')]
  assert.notEqual((await run(...createAgain)).exitCode, 0)
  const failed = await run('account-jobs', 'list', '-o', 'json', '--filter', 'accountName = "again"')
  const [{ id: again }] = JSON.parse(failed.stdout)
  const dismissed = await run('account-jobs', 'dismiss', again, '--yes', '-o', 'json')
  assert.deepEqual(JSON.parse(dismissed.stdout), { id: again })
  const [job] = JSON.parse((await run('account-jobs', 'list', '-o', 'json')).stdout)
  assert.deepEqual([job.accountName, job.state], ['ci', 'failed'])
  state.status = 201
  const repeated = await run('account-jobs', 'repeat', job.id, '--out', out, '-o', 'json')
  assert.equal(repeated.exitCode, 0, repeated.stderr)
  assert.deepEqual([JSON.parse(repeated.stdout).name, JSON.parse(repeated.stdout).credentialsFile], ['ci', out])
  assert.equal(JSON.parse(readFileSync(out, 'utf8')).password, 's')

  assert.equal((await run('providers', 'delete', 'idp', '--yes')).exitCode, CONFLICT, 'it has an account')
  assert.equal((await run('accounts', 'delete', 'ci', '--yes')).exitCode, 0)
  assert.equal((await run('account-jobs', 'dismiss', 'none', '--yes')).exitCode, 5)
  const deleted = await run('providers', 'delete', 'idp', '--yes')
  assert.equal(deleted.exitCode, 0, deleted.stderr)
})
