import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enroll, KINDS } from './enroll-token.fixture.ts'
import { ALICE, decisionOf, logInWithToken } from './provider.fixture.ts'
import { setUpScim } from './scim.fixture.ts'

const ENROLLING = { enrollToTokenEnabled: true, enrollToCertEnabled: true, provisionOnLogin: true }

test('V-15 a deleted person does not enroll or log in again with a token that they still hold', async (t) => {
  const { app, scim, token, explain } = await setUpScim(t, { ...ENROLLING, reprovisionAfterMinutes: 0 })
  const id = await scim.addUser()
  const held = token()
  assert.equal((await logInWithToken(app, held)).status, 200)
  assert.equal((await scim.call('DELETE', `/Users/${id}`)).status, 204)
  assert.equal((await logInWithToken(app, held)).status, 401)
  for (const body of Object.values(KINDS)) {
    const refused = await enroll(app, { tokens: [held], body: body() })
    assert.equal(refused.status, 400, refused.text)
    assert.equal((await decisionOf(app, refused.json.error.requestId)).reason, 'token-revoked')
  }
  assert.match((await explain(held)).missing.join(), /SCIM/)
  app.clock.advance(1000)
  const enrolled = await enroll(app, { tokens: [token()], body: KINDS.cert() })
  assert.equal(enrolled.status, 200, 'the provider issued a token after it')
})

test('V-15 a token with the former name of a renamed person does not enroll', async (t) => {
  const { app, scim, token, logIn } = await setUpScim(t, ENROLLING)
  const id = await scim.addUser()
  const [held, ofOther] = [token(), token({ sub: 'bob@idp' })]
  const rename = (value: string) => scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value })
  assert.equal((await rename('alice@new')).status, 200)
  assert.equal((await enroll(app, { tokens: [held], body: KINDS.cert() })).status, 400)
  assert.equal((await enroll(app, { tokens: [ofOther], body: KINDS.cert() })).status, 200)
  assert.equal((await rename(ALICE)).status, 200)
  app.clock.advance(1000)
  await logIn()
})
