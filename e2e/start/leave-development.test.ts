import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createControllerStage, type ReadyController, startPostgres } from '@countersign/testkit'
import { SIGNERS } from './signer-body.ts'

const PASSWORD = 'the password of this test'
const TOKEN_LOGIN = '/edge/client/v1/authenticate?method=ext-jwt'
const IDENTITIES = '/edge/management/v1/identities'
const SELF = '/identity/v1/identities/self'

/** Tokens of the local provider, valid for an hour: for a person, and for a machine. */
async function requestTokens(dev: ReadyController) {
  const tokenOf = async (url: string, body: URLSearchParams, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    const response = await fetch(url, { method: 'POST', body, headers })
    return ((await response.json()) as { access_token: string }).access_token
  }
  const { clientId, password, authenticationUrl } = JSON.parse(
    readFileSync(join(dev.dataDir, 'credentials.json'), 'utf8'),
  )
  const basic = `Basic ${Buffer.from(`${clientId}:${password}`).toString('base64')}`
  return {
    person: await tokenOf(`${dev.ready.identityProviderUrl}/dev/token`, new URLSearchParams({ person: 'alice' })),
    machine: await tokenOf(authenticationUrl, new URLSearchParams({ grant_type: 'client_credentials' }), basic),
  }
}

const statusWith = async (controller: ReadyController, method: string, path: string, token: string) =>
  (await controller.request(method, path, { headers: { authorization: `Bearer ${token}` } })).status

for (const { title, args, withPostgres } of [
  { title: 'in one process', args: [], withPostgres: false },
  { title: 'with two workers', args: ['--workers', '2'], withPostgres: false },
  { title: 'on another node of the database', args: [], withPostgres: true },
]) {
  test(`D58 the first start without --dev disables the demo records and serves no keys of the local provider, ${title}`, async (t) => {
    const stage = createControllerStage(t)
    const postgres = withPostgres ? await startPostgres() : undefined
    if (postgres) t.after(() => postgres.stop())
    const env = {
      COUNTERSIGN_ADMIN_PASSWORD: PASSWORD,
      COUNTERSIGN_SEALING_KEY: 'a5'.repeat(32),
      ...(postgres && { COUNTERSIGN_DATABASE: await postgres.createDatabase() }),
    }
    const dev = await stage.start({ env, args: ['--dev', ...args] })
    const { person, machine } = await requestTokens(dev)
    assert.equal(await statusWith(dev, 'POST', TOKEN_LOGIN, person), 200)
    assert.equal(await statusWith(dev, 'GET', SELF, machine), 200)
    await dev.stop()

    const dataDir = postgres ? { dataDir: join(stage.folder, 'other') } : {}
    const plain = await stage.start({ env, args, ...dataDir })
    for (const record of ['signer local-provider', 'identity provider Local user pool', 'identity alice']) {
      assert.ok(plain.stderr().includes(`disabled ${record}`), record)
    }
    assert.equal(await statusWith(plain, 'POST', TOKEN_LOGIN, person), 401)
    assert.equal(await statusWith(plain, 'GET', SELF, machine), 401)

    const session = await plain.logIn(PASSWORD)
    const find = async (path: string, name: string) =>
      (await plain.request('GET', `${path}?filter=name="${name}"`, { session })).json.data[0]
    const signer = await find(SIGNERS, 'local-provider')
    const alice = await find(IDENTITIES, 'alice')
    assert.deepEqual([signer.enabled, alice.disabled], [false, true])
    await plain.request('PATCH', `${SIGNERS}/${signer.id}`, { session, body: { enabled: true } })
    await plain.request('POST', `${IDENTITIES}/${alice.id}/enable`, { session })
    assert.equal(await statusWith(plain, 'POST', TOKEN_LOGIN, person), 401, 'the stored keys are not used')
    await plain.stop()

    const again = await stage.start({ env, args, ...dataDir })
    assert.ok(!again.stderr().includes('disabled signer'), 'only the first start disables')
    await again.stop()
    const back = await stage.start({ env, args: ['--dev', ...args] })
    assert.equal(await statusWith(back, 'POST', TOKEN_LOGIN, person), 200, 'with --dev the enabled records work again')
  })
}
