import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect as connectPlain, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { createControllerStage, makeTestAuthority, makeTestCertificate, renegotiate } from '@countersign/testkit'

const CAS = '/edge/management/v1/cas'
const PASSWORD = 'the password of this test'

/** What the server sends in a handshake of TLS 1.2, in which its request for a certificate is not encrypted. */
async function readHandshake(baseUrl: string): Promise<Buffer> {
  const { hostname, port } = new URL(baseUrl)
  const received: Buffer[] = []
  const relay = createServer((client) => {
    const server = connectPlain(Number(port), hostname)
    server.on('data', (bytes) => received.push(bytes))
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) socket.on('error', () => socket.destroy())
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const socket = connect({
    port: (relay.address() as AddressInfo).port,
    host: '127.0.0.1',
    maxVersion: 'TLSv1.2',
    rejectUnauthorized: false,
  })
  await once(socket, 'secureConnect')
  socket.destroy()
  relay.close()
  return Buffer.concat(received)
}

/** Fails unless the server refuses to renegotiate. */
async function assertNoRenegotiation(baseUrl: string): Promise<void> {
  const { hostname, port } = new URL(baseUrl)
  assert.equal(await renegotiate(Number(port), hostname), 'ERR_SSL_NO_RENEGOTIATION')
}

async function start(t: TestContext) {
  const controller = await createControllerStage(t).start({ args: [], env: { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD } })
  const session = await controller.logIn(PASSWORD)
  const request = (method: string, path: string, body?: unknown) =>
    controller.request(method, path, { session, ...(body !== undefined && { body }) })
  return { controller, request }
}

test('W-93 M-23 the handshake names the verified third-party CAs, whose clients otherwise send no certificate', async (t) => {
  const { controller, request } = await start(t)
  const authority = makeTestAuthority({ commonName: 'Corp devices' })
  const isNamed = async () => (await readHandshake(controller.ready.baseUrl)).includes(Buffer.from(authority.subject))
  const until = async (expected: boolean) => {
    for (let tries = 0; tries < 50 && (await isNamed()) !== expected; tries++) await delay(50)
    assert.equal(await isNamed(), expected)
  }
  const switches = { isAuthEnabled: true, isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false }
  const body = { name: 'corp', certPem: authority.pem, identityRoles: [], ...switches }
  const { id } = (await request('POST', CAS, body)).json.data
  assert.equal(await isNamed(), false, 'it is not verified')
  const { verificationToken: commonName } = (await request('GET', `${CAS}/${id}`)).json.data
  const proof = makeTestCertificate({ issuer: authority, commonName }).pem
  assert.equal((await request('POST', `${CAS}/${id}/verify`, proof)).status, 200)
  await until(true)
  await assertNoRenegotiation(controller.ready.baseUrl)
  const change = async (members: object) => {
    assert.equal((await request('PATCH', `${CAS}/${id}`, members)).status, 200)
  }
  await change({ isAuthEnabled: false })
  await until(false)
  await change({ isOttCaEnrollmentEnabled: true })
  await until(true)
  assert.equal((await request('DELETE', `${CAS}/${id}`)).status, 200)
  await until(false)
})
