import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPassword } from './identities.fixture.ts'
import { ALICE, logInWithToken, setUpProvider } from './provider.fixture.ts'

test('the row of a session says what the session rests on', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  const signerId = await createSigner({ clockSkewSeconds: 30 })
  const alice = await createIdentity()
  const { username, password, id: authenticatorId } = await createPassword(app, alice)
  const rowOf = async (session: string) => {
    const { id } = (await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })).json.data
    return app.store.db.selectFrom('api_sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  }
  const exp = Math.floor(app.clock.now() / 1000) + 300
  const authTime = exp - 900
  const claims = { exp, sid: 'session at the provider', amr: ['pwd', 'otp'], auth_time: authTime }
  const byToken = await rowOf((await logInWithToken(app, token(claims))).json.data.token)
  assert.deepEqual(
    [byToken.method, byToken.authenticator_id, byToken.signer_id, byToken.external_id, byToken.subject],
    ['ext-jwt', `extJwtId:${signerId}`, signerId, ALICE, ALICE],
  )
  assert.deepEqual(
    [byToken.provider_session_id, JSON.parse(byToken.amr ?? ''), Number(byToken.authenticated_at)],
    ['session at the provider', ['pwd', 'otp'], authTime * 1000],
  )
  assert.equal(Number(byToken.token_expires_at), (exp + 30) * 1000, 'with the signer’s clock skew')

  const byPassword = await rowOf(await app.logIn(username, password))
  assert.deepEqual(
    [byPassword.method, byPassword.authenticator_id, byPassword.signer_id, byPassword.external_id, byPassword.amr],
    ['password', authenticatorId, null, null, null],
  )

  const signedById = await createSigner({ name: 'by id', audience: 'other', useExternalId: false })
  const byId = await rowOf((await logInWithToken(app, token({ aud: 'other', sub: alice }))).json.data.token)
  assert.deepEqual([byId.signer_id, byId.external_id, byId.subject], [signedById, null, alice])
})
