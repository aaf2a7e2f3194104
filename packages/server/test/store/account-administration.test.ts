import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { initial } from '../../src/store/migrations/initial/initial.ts'
import { findCurrentClient } from '../../src/store/reads/account-client-reads.ts'
import { listProviders } from '../../src/store/reads/provider-reads.ts'
import { makeEmptyDatabase } from './empty-database.ts'
import { DATABASES, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

for (const name of DATABASES) {
  test(`S-16 on ${name} a registration endpoint becomes the administration of its record, with its sealed token`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await database.migrate(1, [initial])
    const { yes } = database.words
    const provider = (id: string, url: string, token: string) =>
      `insert into identity_providers (id, organization_id, name, kind, issuer, jwks_uri, registration_url, registration_token, enabled, revision, created_at, updated_at)
       values ('${id}', 'o', '${id}', 'oidc', 'https://idp.example', 'https://idp.example/keys', ${url}, ${token}, ${yes}, 1, 1, 1)`
    const account = (id: string) =>
      `insert into api_accounts (id, organization_id, identity_provider_id, name, role, active, created_at, updated_at)
       values ('${id}', 'o', 'with', '${id}', 'admin', ${yes}, 7, 7)`
    const client = (id: string, uri: string, token: string) =>
      `insert into api_account_clients (issuer, client_id, account_id, registration_uri, registration_token, created_at)
       values ('https://idp.example', '${id}', '${id}', ${uri}, ${token}, 7)`
    await database.run(
      `insert into organizations (id, label, name, active, is_local, created_at, updated_at) values ('o', 'O', 'O', ${yes}, ${yes}, 1, 1)`,
      provider('with', `'https://idp.example/a"b'`, `'sealed'`),
      provider('without', 'null', 'null'),
      account('registered'),
      account('existing'),
      client('registered', `'https://idp.example/r/1'`, `'sealed too'`),
      client('existing', 'null', 'null'),
    )
    const store = await database.open(2)
    t.after(() => store.close())
    const [first, second] = await listProviders(store.db, 'o')
    assert.deepEqual(first?.administration, { kind: 'rfc7591', registrationUrl: 'https://idp.example/a"b' })
    assert.deepEqual([first?.administrationSecret, second?.administration], ['sealed', null])
    const registered = await findCurrentClient(store.db, 'registered')
    assert.deepEqual(
      [registered?.administered_by, registered?.handle, registered?.registration_token],
      ['rfc7591', 'https://idp.example/r/1', 'sealed too'],
    )
    assert.equal((await findCurrentClient(store.db, 'existing'))?.administered_by, null)
    const rows = await store.db.selectFrom('api_accounts').select(['rotated_at', 'rotates_at']).execute()
    assert.deepEqual(rows, [
      { rotated_at: 7, rotates_at: null },
      { rotated_at: 7, rotates_at: null },
    ])
  })
}
