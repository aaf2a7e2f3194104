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
const CONFLICT = 6

test('V-14 scim-tokens makes a token that is printed once, lists and deletes tokens', async () => {
  const { ready } = await started
  const env = { HOME: join(stage.folder, 'home') }
  mkdirSync(env.HOME)
  const { baseUrl, caFile } = ready
  const fetch = createNodeFetch({ ca: readFileSync(caFile, 'utf8'), onlyCa: true })
  const administrator = new ControllerClient({ baseUrl, fetch })
  await administrator.logInWithPassword('admin', ready.admin.password ?? '')
  const issuer = 'https://provider.invalid'
  const signer = { name: 'idp', enabled: true, issuer, audience: 'a', jwksEndpoint: `${issuer}/keys` }
  const signerId = await administrator.signers.create(signer)
  const input = { readAll: async () => `${ready.admin.password}\n` }
  const login = ['login', baseUrl, '-u', 'admin', '--password-stdin', '--ca-file', caFile]
  assert.equal((await runCaptured(login, { env, input })).exitCode, 0)
  const run = (...words: string[]) => runCaptured(['scim-tokens', ...words], { env })

  const created = await run('create', 'idp', '-o', 'json')
  assert.equal(created.exitCode, 0, created.stderr)
  const { id, token, scimUrl } = JSON.parse(created.stdout)
  assert.ok(scimUrl.endsWith(`/scim/v2/${signerId}`), scimUrl)
  const users = () => fetch(`${baseUrl}/scim/v2/${signerId}/Users`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal((await users()).status, 200)
  assert.equal((await run('create', 'idp')).exitCode, 0)
  assert.equal((await run('create', 'idp')).exitCode, CONFLICT)
  const listed = await run('list', 'idp')
  assert.ok(listed.stdout.includes(id) && !listed.stdout.includes(token), listed.stdout)
  assert.equal((await run('delete', 'idp', id)).exitCode, 2, 'it asks first')
  const deleted = await run('delete', 'idp', id, '--yes')
  assert.equal(deleted.exitCode, 0, deleted.stderr)
  assert.equal((await users()).status, 401)
  assert.equal((await administrator.signers.scimTokens(signerId)).length, 1)
})
