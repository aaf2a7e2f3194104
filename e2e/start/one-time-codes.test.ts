import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { totpCode, totpStep } from '@countersign/core'
import { createControllerStage, readProvisioningSecret } from '@countersign/testkit'

const CLIENT = '/edge/client/v1'
const PASSWORD = 'the password of this test'
const env = { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD }

test('R-07 R-13 after kill -9 verified one-time codes stay required, a used code is refused, and wrong ones stay counted', async (t) => {
  const stage = createControllerStage(t)
  let controller = await stage.start({ env })
  const first = await controller.logIn(PASSWORD)
  const call = (session: string, method: string, path: string, body?: unknown) => {
    return controller.request(method, CLIENT + path, { session, ...(body !== undefined && { body }) })
  }
  assert.equal((await call(first, 'POST', '/current-identity/mfa')).status, 201)
  const { provisioningUrl, recoveryCodes } = (await call(first, 'GET', '/current-identity/mfa')).json.data
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? ''
  const code = totpCode(readProvisioningSecret(provisioningUrl), totpStep(Date.now()))
  assert.equal((await call(first, 'POST', '/current-identity/mfa/verify', { code })).status, 200)
  const [used, next] = recoveryCodes
  assert.equal((await call(first, 'POST', '/authenticate/mfa', { code: used })).status, 200)
  for (let i = 0; i < 7; i++)
    assert.equal((await call(first, 'POST', '/authenticate/mfa', { code: 'WRONG!' })).status, 400)
  await controller.kill9()

  const database = readFileSync(join(controller.dataDir, 'countersign.db'), 'latin1')
  const wal = readFileSync(join(controller.dataDir, 'countersign.db-wal'), 'latin1')
  for (const plain of [secret, ...recoveryCodes])
    assert.ok(!(database + wal).includes(plain), 'no secret is stored in plain text')

  controller = await stage.start({ env })
  assert.equal((await call(first, 'GET', '/current-identity')).status, 200, 'the completed session is still valid')
  const second = await controller.logIn(PASSWORD)
  assert.equal((await call(second, 'GET', '/current-identity')).status, 401)
  assert.equal((await call(second, 'POST', '/authenticate/mfa', { code })).status, 400)
  assert.equal((await call(second, 'POST', '/authenticate/mfa', { code: used })).status, 400)
  assert.equal((await call(second, 'POST', '/authenticate/mfa', { code: next })).status, 200)
  assert.equal((await call(second, 'GET', '/current-identity')).status, 200)
  assert.equal((await call(second, 'POST', '/authenticate/mfa', { code: 'WRONG!' })).status, 400, 'the tenth')
  assert.equal((await call(second, 'POST', '/authenticate/mfa', { code: 'WRONG!' })).status, 429)
  await controller.stop()
})

test('D56 a controller whose sealing key does not open the one-time codes does not start and names the setting', async (t) => {
  const stage = createControllerStage(t)
  const first = await stage.start({ env })
  const session = await first.logIn(PASSWORD)
  assert.equal((await first.request('POST', `${CLIENT}/current-identity/mfa`, { session })).status, 201)
  await first.stop()

  const file = join(first.dataDir, 'keys', 'sealing.key')
  const key = readFileSync(file, 'utf8')
  writeFileSync(file, `${'0f'.repeat(32)}\n`)
  for (const args of [[], ['--workers', '2']]) {
    const refused = stage.launch({ env, args })
    assert.equal((await refused.exited).code, 1)
    assert.match(
      refused.stderr(),
      /error: the database holds values that were sealed with the key [0-9a-f]{8}.*\nhint: .*sealingKey/,
    )
  }
  const configured = stage.launch({ env: { ...env, COUNTERSIGN_SEALING_KEY: '0f'.repeat(32) } })
  assert.equal((await configured.exited).code, 1)
  assert.ok(!configured.stderr().includes(key.trim()))

  const restored = await stage.start({ env: { ...env, COUNTERSIGN_SEALING_KEY: key.trim() } })
  assert.equal((await restored.request('GET', `${CLIENT}/current-identity/mfa`, { session })).status, 200)
})
