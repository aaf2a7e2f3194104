/** Claims that PostgreSQL cannot store as they are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPostgresDatabase } from './build-app.ts'
import { logInWithToken, setUpProvider } from './provider.fixture.ts'

test('B-07 C-03 a session opens whatever characters and fractions the claims of its token have', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t, { database: await newPostgresDatabase() })
  await createSigner({ claimsProperty: 'email' })
  await createIdentity()
  const now = Math.floor(app.clock.now() / 1000)
  const claims = [
    {},
    { exp: now + 600.123_456_7 },
    { iat: now + 0.123_456_7 },
    { auth_time: now - 0.123_456_7 },
    { sid: 'a\0b' },
    { acr: 'a\0b' },
    { amr: ['a\0b'] },
    { sub: 'a\0b' },
  ]
  for (const unusual of claims) {
    const { status, text } = await logInWithToken(app, token({ email: 'alice@idp.example', ...unusual }))
    assert.equal(status, 200, `${JSON.stringify(unusual)}: ${text}`)
  }
  assert.equal((await logInWithToken(app, token({ email: 'alice@idp.example\0' }))).status, 401)
})
