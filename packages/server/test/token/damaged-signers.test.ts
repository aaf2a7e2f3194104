import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startPostgres } from '@countersign/testkit'
import pg from 'pg'
import { buildApp } from '../http/build-app.ts'
import { logInWithToken, SIGNERS, setUpProvider } from '../http/provider.fixture.ts'

const postgres = await startPostgres()
after(() => postgres.stop())

for (const [what, damage] of [
  ['JSON', `update ext_jwt_signers set required_claims = '{"/hd":' where name = 'damaged'`],
  ['a PEM', `update ext_jwt_signers set cert_pem = 'no PEM', jwks_endpoint = null where name = 'damaged'`],
  ['a selector', `update ext_jwt_signers set claims_property = '/~' where name = 'damaged'`],
] as const) {
  test(`S-15 a signer with ${what} that cannot be read is disabled and logged, others work, and a start does not fail`, async (t) => {
    const database = (await postgres.createDatabase()) as `postgres${string}:${string}`
    const { app, createSigner, createIdentity, token } = await setUpProvider(t, { database })
    await createSigner()
    await createSigner({ name: 'damaged', audience: 'damaged' })
    await createIdentity()
    assert.equal((await logInWithToken(app, token({ aud: 'damaged' }))).status, 200)
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    t.after(() => client.end())
    await client.query(damage)

    const again = await buildApp(t, { database, fetchJwks: async () => Promise.reject(new Error('not now')) })
    assert.equal((await logInWithToken(again, token({ aud: 'damaged' }))).status, 401)
    const other = await logInWithToken(again, token())
    assert.equal(other.status, 200, other.text)
    assert.ok(again.logged.some((line) => /cannot be (read|used)|need attention/.test(line)))
    for (const path of [SIGNERS, '/edge/client/v1/external-jwt-signers']) {
      const list = await again.admin('GET', path)
      assert.equal(list.status, 200, list.text)
      assert.ok(
        list.json.data.some(({ name }: { name: string }) => name === 'idp'),
        path,
      )
    }
  })
}
