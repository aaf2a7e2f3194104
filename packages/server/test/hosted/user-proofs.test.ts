/** Attacks with tokens of users, which carry the client id of an application that the user does not own. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { GATEWAY, KINDS, type KindName, keysOf, setUpHosted } from './hosted.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = '/identity/v1/api-account-identities'
const SELF = '/identity/v1/identities/self'
const APPLICATION = 'application-of-the-victim'
const CUSTOM_DOMAIN = 'https://login.acme.example/'

/** An organization whose administrator is a user of an application of another organization. */
async function setUp(t: TestContext) {
  const hosted = await setUpHosted(t)
  const { call, bodyOf, token } = hosted
  const organizationId = await hosted.createOrganization('EVIL')
  await hosted.createAccount(await hosted.createProvider('okta', { organizationId }), 'boss', { organizationId })
  const bearer = token('okta', 'boss')
  const makeProvider = async (of: KindName, members: object): Promise<string> => {
    const record = { name: 'trap', ...KINDS[of].record, audience: GATEWAY, ...members }
    const urls = { jwksUri: keysOf(record), tokenUrl: 'https://idp.example/token' }
    return bodyOf(await call('POST', PROVIDERS, bearer, { ...record, ...urls })).id
  }
  const bind = (identityProviderId: string, proofToken: string) =>
    call('POST', ACCOUNTS, bearer, { name: 'x', identityProviderId, clientId: APPLICATION, proofToken })
  return { ...hosted, organizationId, bearer, makeProvider, bind }
}

type Members = Readonly<Record<string, unknown>>

const SUBJECT = { sub: 'auth0|mallory' }
const LOGINS: readonly Members[] = [{ sid: 's' }, { session_state: 's' }, { auth_time: 1 }, { nonce: 'n' }]

/** What a record says, and claims by each of which a user's token differs from the machine's. */
const USERS: readonly [what: string, of: KindName, record: Members, users: readonly Members[]][] = [
  ['Auth0', 'auth0', { kind: 'auth0' }, [SUBJECT]],
  ['Auth0, registered as oidc', 'auth0', { kind: 'oidc' }, [SUBJECT]],
  ['Cognito, registered as oidc', 'cognito', { kind: 'oidc' }, [SUBJECT, { username: 'mallory' }]],
  ['Cognito, registered as auth0', 'cognito', { kind: 'auth0' }, [SUBJECT, { username: 'mallory' }]],
  ['Auth0 at a custom domain', 'auth0', { kind: 'auth0', issuer: CUSTOM_DOMAIN }, [SUBJECT, ...LOGINS]],
  ['any provider', 'auth0', { kind: 'oidc', issuer: CUSTOM_DOMAIN }, [SUBJECT, { client_id: 'own' }, ...LOGINS]],
]

for (const [what, of, record, users] of USERS) {
  test(`N-13 P-08 a user's token of ${what} does not prove that the application is the user's`, async (t) => {
    const { makeProvider, bind, token, call, bodyOf, organizationId } = await setUp(t)
    const provider = await makeProvider(of, record)
    const machine = { iss: record.issuer ?? KINDS[of].record.issuer, aud: GATEWAY, gty: undefined }
    for (const user of users) {
      const refused = await bind(provider, token(of, APPLICATION, { ...machine, ...user }))
      assert.deepEqual(
        [refused.status, refused.json.field],
        [400, 'proofToken'],
        `${Object.keys(user)} ${refused.text}`,
      )
    }
    const proof = token(of, APPLICATION, machine)
    bodyOf(await bind(provider, proof))
    assert.equal(bodyOf(await call('GET', SELF, proof), 200).organizationId, organizationId)
  })
}

test('N-13 rotation needs a token of a machine too', async (t) => {
  const { makeProvider, bind, token, call, bodyOf, bearer } = await setUp(t)
  const at = { iss: CUSTOM_DOMAIN }
  const provider = await makeProvider('auth0', { kind: 'oidc', issuer: CUSTOM_DOMAIN })
  const { id } = bodyOf(await bind(provider, token('auth0', APPLICATION, at)))
  const rotate = (claims: object) =>
    call('POST', `${ACCOUNTS}/${id}/rotate`, bearer, {
      clientId: 'next',
      proofToken: token('auth0', 'next', { ...claims }),
    })
  assert.equal((await rotate({ ...at, sub: 'auth0|mallory' })).json.field, 'proofToken')
  bodyOf(await rotate(at), 200)
})

test('N-13 the operator binds a client whose tokens do not look like a machine’s, and these work', async (t) => {
  const { createProvider, createOrganization, app, call, token, bodyOf } = await setUp(t)
  const organizationId = await createOrganization('OTHER')
  const record = { organizationId, kind: 'oidc', issuer: CUSTOM_DOMAIN, jwksUri: keysOf({ issuer: CUSTOM_DOMAIN }) }
  const identityProviderId = await createProvider('auth0', record)
  const bearer = token('auth0', APPLICATION, { iss: CUSTOM_DOMAIN, sub: 'service-user-7', auth_time: 1 })
  const body = { name: 'x', organizationId, identityProviderId, clientId: APPLICATION, proofToken: bearer }
  bodyOf(await app.admin('POST', ACCOUNTS, body))
  assert.equal(bodyOf(await call('GET', SELF, bearer), 200).organizationId, organizationId)
})
