import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enroll, refusal } from './enroll-token.fixture.ts'
import { decisionOf, logInWithToken, refusalOf, setUpProvider } from './provider.fixture.ts'

const audiences = (count: number) => Array.from({ length: count }, (_, index) => `api://${index}`)

test('R-20 a token logs in by one of ten signers that it names; one that names more is refused and explained', async (t) => {
  const { app, token, createSigner, createIdentity, explain } = await setUpProvider(t)
  await createIdentity()
  for (const audience of audiences(11)) await createSigner({ name: audience, audience })
  for (const audience of audiences(11)) assert.equal((await logInWithToken(app, token({ aud: audience }))).status, 200)
  const ten = token({ aud: audiences(10) })
  assert.equal((await logInWithToken(app, ten)).status, 200)
  assert.deepEqual((await explain(ten)).hints, [])

  const eleven = token({ aud: audiences(11) })
  const decision = await decisionOf(app, await refusalOf(logInWithToken(app, eleven)))
  assert.equal(decision.reason, 'too-many-signers')
  const explained = await explain(eleven)
  assert.equal(explained.signers.length, 11)
  for (const { reason } of explained.signers) assert.equal(reason, 'too-many-signers')
  assert.match(explained.hints.join(), /more than 10 enabled signers/)
  assert.equal(explained.identity, null)
})

test('R-20 the same token enrolls with ten signers of which one enrolls, and with eleven when the request names the signer', async (t) => {
  const { app, token, createSigner } = await setUpProvider(t)
  const enrolling = await createSigner({ name: 'enrolling', audience: 'api://0', enrollToTokenEnabled: true })
  for (const audience of audiences(11).slice(1)) await createSigner({ name: audience, audience })
  const enrollWith = (sub: string, count: number, signerIds: readonly string[] = []) =>
    enroll(app, { tokens: [token({ sub, aud: audiences(count) })], signerIds })
  const ten = await enrollWith('bob', 10)
  assert.equal(ten.status, 200, ten.text)
  const eleven = await enrollWith('carol', 11)
  assert.equal(refusal(eleven), '400 INVALID_ENROLLMENT_TOKEN')
  assert.equal((await decisionOf(app, eleven.json.error.requestId)).reason, 'too-many-signers')
  const named = await enrollWith('carol', 11, [enrolling])
  assert.equal(named.status, 200, named.text)
})
