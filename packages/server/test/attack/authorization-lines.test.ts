import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { sharedTarget } from './target.ts'

const target = sharedTarget()
const SIGNERS = '/edge/management/v1/ext-jwt-signers'

/** An identity whose policy requires a second token, and the header lines that carry it. */
async function setUp() {
  const { app, request } = target()
  const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'second' })
  const name = `second-${Math.random()}`
  const body = {
    name,
    enabled: true,
    issuer: `https://${name}.example`,
    audience: 'edge',
    kid: name,
    useExternalId: true,
  }
  const signer = await app.admin('POST', SIGNERS, { ...body, certPem: certificate.pem })
  assert.equal(signer.status, 201, signer.text)
  const authPolicyId = await createPolicy(app, { secondary: { requireExtJwtSigner: signer.json.data.id } })
  const { id, session } = await app.makeIdentity({ externalId: name })
  const moved = await app.admin('PATCH', `/edge/management/v1/identities/${id}`, { authPolicyId })
  assert.equal(moved.status, 200, moved.text)
  const exp = Math.floor(app.clock.now() / 1000) + 600
  const token = mintToken({
    key: mintKeyFrom(certificate.privateKey, 'P-256', name),
    claims: { iss: body.issuer, aud: 'edge', sub: name, exp },
  })
  const call = (...lines: string[]) =>
    request(
      `GET /edge/client/v1/current-identity HTTP/1.1\r\nHost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`,
    )
  const logInWith = (...lines: string[]) =>
    request(
      `POST /edge/client/v1/authenticate?method=ext-jwt HTTP/1.1\r\nHost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`,
    )
  return { call, logInWith, token, zt: `zt-session: ${session}`, good: `Authorization: Bearer ${token}` }
}

const OTHER = ['Authorization: Bearer garbage', 'Authorization: Basic dXNlcjpwYXNz', 'Authorization: Bearer a.b.c']

describe('lines of the Authorization header', () => {
  test('E-07 D30 session and second token are found in every order, next to others, and in any spelling of the header', async () => {
    const { call, token, zt, good } = await setUp()
    const [first = '', second = ''] = OTHER
    for (const lines of [
      [zt, good],
      [good, zt],
      [zt, first, good],
      [good, first, zt],
      [good, zt, first, second],
      [first, zt, good, second],
      [first, second, good, zt],
      [zt, `AUTHORIZATION: bearer ${token}`],
      [zt, `authorization: BEARER ${token}`],
      [zt, `Authorization:   Bearer ${token}  `],
      [`ZT-Session:  ${zt.slice('zt-session: '.length)} `, good],
    ]) {
      assert.equal((await call(...lines)).status, 200, lines.map((line) => line.slice(0, 24)).join(' | '))
    }
  })

  test('E-07 D30 more than three lines are refused, whatever their content, at both endpoints', async () => {
    const { call, logInWith, zt, good } = await setUp()
    for (const lines of [
      [...OTHER, good],
      [good, ...OTHER],
      [good, good, good, good],
    ]) {
      for (const reply of [await call(zt, ...lines), await logInWith(...lines)]) {
        assert.deepEqual([reply.status, reply.json.error.code], [400, 'COULD_NOT_VALIDATE'])
        assert.equal(reply.json.error.cause.field, 'authorization')
      }
    }
    assert.equal((await call(zt, good, good, good)).status, 200)
    assert.equal((await logInWith(good, good, good)).status, 200)
  })

  test('E-07 tokens in one line are not split, and a second space is not part of the scheme', async () => {
    const { call, logInWith, token, zt, good } = await setUp()
    for (const value of [
      `Bearer ${token}, Bearer ${token}`,
      `Bearer ${token},${token}`,
      `Bearer garbage, Bearer ${token}`,
      `Bearer  ${token}`,
      `Bearer\t${token}`,
      `Bearer${token}`,
      `Bearer: ${token}`,
      `Basic ${token}`,
      token,
    ]) {
      const line = `Authorization: ${value}`
      assert.equal((await call(zt, line)).status, 401, value.slice(0, 20))
      assert.equal((await logInWith(line)).status, 401, value.slice(0, 20))
      assert.equal((await call(zt, line, good)).status, 200, 'it does not hide a good line next to it')
    }
    assert.equal((await logInWith(good)).status, 200)
  })

  test('E-07 two sessions on one request are refused', async () => {
    const { call, zt, good } = await setUp()
    const { app } = target()
    const reply = await call(zt, `zt-session: ${app.adminSession}`, good)
    assert.deepEqual([reply.status, reply.json.error.code], [400, 'COULD_NOT_VALIDATE'])
    assert.equal((await call(zt, good)).status, 200)
  })
})
