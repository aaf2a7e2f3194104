import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  createControllerStage,
  makeTestCertificate,
  makeTestCsr,
  mintKeyFrom,
  mintToken,
  type ReadyController,
  type TestCsr,
} from '@countersign/testkit'

const CLIENT = '/edge/client/v1'
const LOG_IN = `${CLIENT}/authenticate?method=cert`
const ISSUER = 'https://provider.example'

interface ClientKeys {
  readonly cert: string
  readonly key: string
}

const keyOf = ({ privateKey }: TestCsr) => privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

/** Enrolls an identity with a provider's token and returns its certificate. */
async function enroll(controller: ReadyController): Promise<ClientKeys> {
  const provider = makeTestCertificate({ kind: 'ec256', commonName: 'provider' })
  const created = await controller.request('POST', '/edge/management/v1/ext-jwt-signers', {
    session: await controller.logIn(),
    body: {
      name: 'provider',
      enabled: true,
      issuer: ISSUER,
      audience: 'edge',
      kid: 'one',
      certPem: provider.pem,
      useExternalId: true,
      enrollToCertEnabled: true,
    },
  })
  assert.equal(created.status, 201, created.text)
  const exp = Math.floor(Date.now() / 1000) + 600
  const claims = { iss: ISSUER, aud: 'edge', sub: 'alice', exp }
  const token = mintToken({ key: mintKeyFrom(provider.privateKey, 'P-256', 'one'), claims })
  const csr = makeTestCsr()
  const enrolled = await controller.request('POST', `${CLIENT}/enroll/token`, {
    headers: { authorization: `Bearer ${token}` },
    body: { clientCsr: csr.pem },
  })
  assert.equal(enrolled.status, 200, enrolled.text)
  return { cert: enrolled.json.data.cert, key: keyOf(csr) }
}

test('D38 a certificate from enrollment logs in, is renewed, and both survive kill -9 at every step', async (t) => {
  const stage = createControllerStage(t)
  let controller = await stage.start()
  const restart = async () => {
    await controller.kill9()
    controller = await stage.start()
  }
  const logIn = (client?: ClientKeys) => controller.request('POST', LOG_IN, client ? { client } : {})
  const old = await enroll(controller)
  assert.equal((await logIn()).status, 401)
  const first = await logIn(old)
  assert.equal(first.status, 200, first.text)
  const { token: session, authenticatorId, isCertExtendable, improperClientCertChain } = first.json.data
  assert.deepEqual([isCertExtendable, improperClientCertChain], [true, undefined])

  const withCurl = () => {
    const [cert, key] = [join(stage.folder, 'alice.pem'), join(stage.folder, 'alice.key')]
    writeFileSync(cert, old.cert)
    writeFileSync(key, old.key)
    const { baseUrl, caFile } = controller.ready
    for (const version of ['--tls-max 1.2', '--tlsv1.3']) {
      const flags = ['-s', '--cacert', caFile, '--cert', cert, '--key', key, '-X', 'POST', ...version.split(' ')]
      const { stdout } = spawnSync('curl', [...flags, baseUrl + LOG_IN], { encoding: 'utf8' })
      assert.equal(JSON.parse(stdout).data.authenticatorId, authenticatorId, version)
    }
    const without = spawnSync('curl', ['-s', '--cacert', caFile, '-X', 'POST', baseUrl + LOG_IN], { encoding: 'utf8' })
    assert.equal(JSON.parse(without.stdout).error.code, 'INVALID_AUTH')
  }
  if (spawnSync('curl', ['--version']).status === 0) await t.test('curl does the same', withCurl)

  const own = `${CLIENT}/current-identity/authenticators/${authenticatorId}`
  const csr = makeTestCsr()
  const body = { clientCertCsr: csr.pem }
  assert.equal(
    (await controller.request('POST', `${own}/extend`, { session, body })).status,
    401,
    'without certificate',
  )
  const extended = await controller.request('POST', `${own}/extend`, { session, client: old, body })
  assert.equal(extended.status, 200, extended.text)
  const renewed = { cert: extended.json.data.clientCert as string, key: keyOf(csr) }

  await restart()
  assert.equal((await logIn(renewed)).status, 401)
  assert.equal((await logIn(old)).status, 200)
  const verify = { session, body: { clientCert: renewed.cert } }
  assert.equal((await controller.request('POST', `${own}/extend-verify`, verify)).status, 200)

  await restart()
  assert.equal((await logIn(old)).status, 401)
  assert.equal((await logIn(renewed)).status, 200)
  assert.equal((await controller.request('POST', `${own}/extend-verify`, verify)).status, 200, 'repeated')
})
