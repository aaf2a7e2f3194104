import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { LOG_IN, overTls, pemOfKey } from './client-certificates.fixture.ts'
import { enroll } from './enroll-token.fixture.ts'
import { jwksBody, summarize } from './ext-jwt-signers.fixture.ts'
import { IDENTITIES, OWN_IDENTITY } from './identities.fixture.ts'
import { decisionOf, ISSUER, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const PROMOTIONS = [{ permissions: ['identity.read'] }, { isAdmin: true }]

/** A signer of a caller who is not an administrator, which enrolls identities to certificates. */
async function setUp(t: TestContext) {
  const { app, token } = await setUpProvider(t)
  const call = await overTls(app)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer.create', 'identity.create'] })
  const body = jwksBody({ issuer: ISSUER, audience: 'overlay', useExternalId: true, enrollToCertEnabled: true })
  const signer = await app.call('POST', SIGNERS, body, { session })
  assert.equal(signer.status, 201, signer.text)
  const path = `${SIGNERS}/${signer.json.data.id}`
  /** Enrolls an identity, and logs it in with the certificate. */
  const enrollAs = async (sub: string) => {
    const csr = makeTestCsr()
    const enrolled = await enroll(app, { tokens: [token({ sub })], body: { clientCsr: csr.pem } })
    assert.equal(enrolled.status, 200, enrolled.text)
    const keys = { cert: enrolled.json.data.cert as string, key: pemOfKey(csr) }
    const logIn = () => call('POST', LOG_IN, keys)
    const { identityId: id, token: opened } = (await logIn()).json.data
    const isOpen = async () => (await app.call('GET', OWN_IDENTITY, undefined, { session: opened })).status === 200
    const promote = async (rights: object) =>
      assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${id}`, rights)), '200')
    assert.ok(await isOpen())
    return { logIn, isOpen, promote }
  }
  return { app, token, path, enrollAs }
}

test('D55 a certificate that an untrusted signer has enrolled logs in no more once its identity has rights', async (t) => {
  const { app, path, enrollAs } = await setUp(t)
  const boss = await enrollAs('boss')
  for (const rights of PROMOTIONS) {
    await boss.promote({ isAdmin: false, permissions: [], ...rights })
    assert.ok(!(await boss.isOpen()), JSON.stringify(rights))
    const refused = await boss.logIn()
    assert.equal(summarize(refused), '401 INVALID_AUTH')
    assert.equal((await decisionOf(app, refused.json.error.requestId)).reason, 'enroller-not-trusted')
  }
  // The trust of today says nothing about the person who enrolled then.
  assert.equal((await app.admin('POST', `${path}/trust`)).status, 200)
  assert.equal((await boss.logIn()).status, 401)
  await boss.promote({ isAdmin: false, permissions: [] })
  assert.equal((await boss.logIn()).status, 200)
})

test('D55 a certificate that a trusted signer has enrolled logs in also when its identity has got rights', async (t) => {
  const { app, token, path, enrollAs } = await setUp(t)
  assert.equal((await app.admin('POST', `${path}/trust`)).status, 200)
  const boss = await enrollAs('boss')
  for (const rights of PROMOTIONS) {
    await boss.promote(rights)
    assert.ok(await boss.isOpen(), JSON.stringify(rights))
    assert.equal((await boss.logIn()).status, 200)
  }
  assert.equal((await logInWithToken(app, token({ sub: 'boss' }))).status, 200)
})
