import assert from 'node:assert/strict'
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { refuseKeys } from '@countersign/core'
import { makeTestCertificate, makeTestCsr, mintKey, mintKeyFrom } from '@countersign/testkit'
import { loadRefusedKeys } from '../../../src/platform/keys/load-refused-keys.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { refusal, setUpEnrollment } from '../../http/enroll-token.fixture.ts'
import { logInWithToken, SIGNERS } from '../../http/provider.fixture.ts'

/** Published in RFC 7515, appendix A.3. */
const PUBLISHED = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
  },
})

function writeList(t: TestContext, name: string, content: string | Buffer): string {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-refused-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, name)
  writeFileSync(file, content)
  return file
}

test('J-08 a published key verifies no token, makes no signer and gets no certificate', async (t) => {
  const { app, provider, token, enrollingSigner, enroll, createIdentity } = await setUpEnrollment(t)
  const id = await enrollingSigner()
  await createIdentity()
  const published = mintKeyFrom(PUBLISHED, 'P-256', 'published')
  const own = mintKey('P-256')
  provider.keys = [published, own]
  const refreshed = await app.admin('POST', `${SIGNERS}/${id}/refresh-keys`)
  assert.match(JSON.stringify(refreshed.json), /published in a standard or manual/)
  assert.equal((await logInWithToken(app, token({}, published))).status, 401)
  assert.equal((await logInWithToken(app, token({}, own))).status, 200)

  const keyPair = { privateKey: PUBLISHED, publicKey: createPublicKey(PUBLISHED) }
  const claims = { sub: 'bob' }
  const csr = makeTestCsr({ keyPair }).pem
  assert.equal(refusal(await enroll(token(claims, own), { clientCsr: csr })), '400 COULD_NOT_PROCESS_CSR')
  assert.equal((await enroll(token(claims, own), { clientCsr: makeTestCsr().pem })).status, 200)

  const signer = { name: 'static', enabled: true, issuer: 'https://static.example', audience: 'a' }
  const save = (certPem: string) => app.admin('POST', SIGNERS, { ...signer, certPem })
  assert.equal(refusal(await save(makeTestCertificate({ keyPair }).pem)), '400 INVALID_CERT_PEM certPem')
  assert.equal((await save(makeTestCertificate().pem)).status, 201)
})

test('J-08 a key on the operator’s list is refused in the same places, in both formats of the list', async (t) => {
  t.after(() => refuseKeys(undefined))
  const leaked = makeTestCsr()
  const x = Buffer.from(leaked.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const digest = createHash('sha256')
    .update(x.subarray(x.findIndex((byte) => byte !== 0)))
    .digest()
  const lists = {
    'leaked.txt': `# ours\n${digest.toString('hex')}\n`,
    'blocklist.dat': Buffer.concat([digest.subarray(0, 15), Buffer.from([1])]),
  }
  const { token, enrollingSigner, enroll } = await setUpEnrollment(t)
  await enrollingSigner()
  const enrollLeaked = (sub: string) => enroll(token({ sub }), { clientCsr: leaked.pem })
  for (const [name, content] of Object.entries(lists)) {
    refuseKeys(await loadRefusedKeys(writeList(t, name, content)))
    assert.equal(refusal(await enrollLeaked(name)), '400 COULD_NOT_PROCESS_CSR')
  }
  refuseKeys(undefined)
  assert.equal((await enrollLeaked('without a list')).status, 200)
})

test('an invalid list prevents the start, and the error names file and line', async (t) => {
  const file = writeList(t, 'list.txt', `${'a'.repeat(30)}\nnonsense\n`)
  await assert.rejects(loadRefusedKeys(file), (error: StartupError) => {
    assert.ok(error instanceof StartupError)
    assert.ok(error.message.includes(file))
    assert.match(error.message, /line 2/)
    return true
  })
  await assert.rejects(loadRefusedKeys(`${file}.gone`), /ENOENT/)
  await assert.rejects(loadRefusedKeys(writeList(t, 'list.dat', 'x')), /16 bytes/)
  assert.equal((await loadRefusedKeys(writeList(t, 'empty.txt', '# nothing yet\n'))).size, 0)
})
