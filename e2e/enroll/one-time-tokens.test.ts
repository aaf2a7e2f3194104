import assert from 'node:assert/strict'
import { createHash, verify, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { createControllerStage, makeTestCsr, type ReadyController, type TestCsr } from '@countersign/testkit'

const MANAGEMENT = '/edge/management/v1'
const LOG_IN = '/edge/client/v1/authenticate?method=cert'
const PASSWORD = 'the password of this test'
const env = { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD }

const keyOf = ({ privateKey }: TestCsr) => privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

/** Creates an identity with a one-time enrollment. */
async function createEnrolling(controller: ReadyController, session: string, name: string) {
  const body = { name, type: 'Default', isAdmin: false, enrollment: { ott: true } }
  const created = await controller.request('POST', `${MANAGEMENT}/identities`, { session, body })
  assert.equal(created.status, 201, created.text)
  const { id } = created.json.data
  const { token, jwt } = (await identityOf(controller, session, id)).enrollment.ott
  return { id: id as string, token: token as string, jwt: jwt as string }
}

async function identityOf(controller: ReadyController, session: string, id: string) {
  const { status, json, text } = await controller.request('GET', `${MANAGEMENT}/identities/${id}`, { session })
  assert.equal(status, 200, text)
  return json.data
}

test('an existing client enrolls: it verifies the JWT with the certificate that the issuer presents, and sends its CSR', async (t) => {
  const controller = await createControllerStage(t).start({ env })
  const { id, token, jwt } = await createEnrolling(controller, await controller.logIn(PASSWORD), 'dora')
  const [header = '', claims = '', signature = ''] = jwt.split('.')
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const { iss, sub, jti, em, exp, ctrls } = decode(claims)
  assert.deepEqual([sub, jti, em, exp > Date.now() / 1000], [id, token, 'ott', true])
  assert.deepEqual(ctrls, [`tls:${new URL(iss).host}`])

  // Only the JWT is trusted so far, because it came from an administrator.
  const presented = await peerCertificate(new URL(iss))
  assert.deepEqual(decode(header), {
    alg: 'ES256',
    kid: createHash('sha1').update(presented.raw).digest('hex'),
    typ: 'JWT',
  })
  const key = { key: presented.publicKey, dsaEncoding: 'ieee-p1363' } as const
  assert.ok(verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url')))

  const csr = makeTestCsr({ kind: 'ec384', subject: { commonName: 'a host', organization: 'an organization' } })
  const ca = readFileSync(controller.ready.caFile)
  const response = await postPem(new URL(`/enroll?method=${em}&token=${jti}`, iss), ca, csr.pem)
  assert.deepEqual([response.status, response.type], [200, 'application/json'])
  const client = { cert: JSON.parse(response.text).data.cert as string, key: keyOf(csr) }
  const loggedIn = await controller.request('POST', LOG_IN, { client })
  assert.deepEqual([loggedIn.status, loggedIn.json.data.identityId], [200, id])
})

test('R-13 D37 after kill -9 a one-time token is either redeemed or still valid, and no token is on the disk', async (t) => {
  const stage = createControllerStage(t)
  const enrolled = new Map<string, { cert: string; key: string }>()
  const withoutResponse = new Map<string, string>()
  const tokens: string[] = []
  for (let round = 0; round < 3; round++) {
    const controller = await stage.start({ env })
    const session = await controller.logIn(PASSWORD)
    const pending = []
    for (let n = 0; n < 30; n++) pending.push(await createEnrolling(controller, session, `round-${round}-${n}`))
    tokens.push(...pending.map(({ token }) => token))
    const agent = new Agent({ keepAlive: true })
    const before = enrolled.size
    const clients = pending.map(async ({ id, token }) => {
      withoutResponse.set(id, token)
      const csr = makeTestCsr()
      const options = { agent, body: { token, clientCsr: csr.pem } }
      const response = await controller.request('POST', '/edge/client/v1/enroll/ott', options).catch(() => undefined)
      if (!response) return
      assert.equal(response.status, 200, response.text)
      withoutResponse.delete(id)
      enrolled.set(id, { cert: response.json.data.cert, key: keyOf(csr) })
    })
    while (enrolled.size === before) await sleep(1)
    await sleep(Math.random() * 10)
    await controller.kill9()
    await Promise.all(clients)
    agent.destroy()
  }
  const { dataDir } = await checkAfterwards()
  const disk = ['countersign.db', 'countersign.db-wal']
    .map((name) => readFileSync(join(dataDir, name), 'latin1'))
    .join()
  for (const token of tokens) assert.ok(!disk.includes(token))

  async function checkAfterwards() {
    const controller = await stage.start({ env })
    const session = await controller.logIn(PASSWORD)
    for (const [id, client] of enrolled) {
      const { authenticators, enrollment } = await identityOf(controller, session, id)
      assert.deepEqual([Object.keys(authenticators), enrollment], [['cert'], {}])
      assert.equal((await controller.request('POST', LOG_IN, { client })).status, 200)
    }
    for (const [id, token] of withoutResponse) {
      const { authenticators, enrollment } = await identityOf(controller, session, id)
      const isRedeemed = 'cert' in authenticators
      assert.equal(isRedeemed, !('ott' in enrollment), 'either the credential or the token')
      const body = { token, clientCsr: makeTestCsr().pem }
      const again = await controller.request('POST', '/edge/client/v1/enroll/ott', { body })
      assert.equal(again.status, isRedeemed ? 400 : 200, again.text)
    }
    await controller.kill9()
    return controller
  }
})

test('D56 R-13 a controller with another sealing key does not start; with its own again, tokens are shown and accepted', async (t) => {
  const stage = createControllerStage(t)
  const first = await stage.start({ env })
  const { id, token } = await createEnrolling(first, await first.logIn(PASSWORD), 'dora')
  await first.stop()
  const keyFile = join(first.dataDir, 'keys', 'sealing.key')
  const key = readFileSync(keyFile)
  writeFileSync(keyFile, `${'0f'.repeat(32)}\n`)
  const refused = stage.launch({ env })
  assert.equal((await refused.exited).code, 1)
  assert.match(refused.stderr(), /sealed with the key [0-9a-f]{8}.*\nhint: .*COUNTERSIGN_SEALING_KEY/)
  writeFileSync(keyFile, key)
  const second = await stage.start({ env })
  const { ott } = (await identityOf(second, await second.logIn(PASSWORD), id)).enrollment
  assert.equal(ott.token, token)
  const body = { token, clientCsr: makeTestCsr().pem }
  assert.equal((await second.request('POST', '/edge/client/v1/enroll/ott', { body })).status, 200)
})

function peerCertificate({ hostname: host, port }: URL): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate) resolve(new X509Certificate(certificate.raw))
      else reject(new Error('the server presented no certificate'))
    })
    socket.once('error', reject)
  })
}

function postPem(url: URL, ca: Buffer, pem: string): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-pem-file' }
    const sent = request(url, { method: 'POST', ca, agent: false, headers }, async (response) => {
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      resolve({ status: response.statusCode ?? 0, type: String(response.headers['content-type']), text })
    })
    sent.once('error', reject)
    sent.end(pem)
  })
}
