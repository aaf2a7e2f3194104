/** `npm run keycloak -- FOLDER`: API accounts at a real Keycloak, whose distribution is in the folder. */
import assert from 'node:assert/strict'
import { createControllerStage, type ReadyController } from '@countersign/testkit'
import { type Keycloak, startKeycloak } from './keycloak-server.ts'

const REALM = 'acme'
const ADMIN_CLIENT = 'countersign-admin'
const AUDIENCE = 'network-api'
const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = '/identity/v1/api-account-identities'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('usage: npm run keycloak -- FOLDER, the folder of a Keycloak distribution; Java is needed\n')
  process.exit(2)
}

const cleanUp: (() => Promise<void>)[] = []
try {
  const keycloak = await startKeycloak(folder)
  cleanUp.push(() => keycloak.stop())
  const stage = createControllerStage({ after: (hook) => void cleanUp.unshift(hook) })
  const controller = await stage.start({ args: ['--dev'] })
  await checkAccounts(keycloak, controller)
} finally {
  for (const hook of cleanUp) await hook()
}

async function checkAccounts(keycloak: Keycloak, controller: ReadyController): Promise<void> {
  const session = await controller.logIn()
  const call = (method: string, path: string, body?: unknown) =>
    controller.request(method, path, { session, ...(body !== undefined && { body }) })
  const { clientSecret, serviceAccountId } = await makeRealm(keycloak)
  const issuer = `${keycloak.url}/realms/${REALM}`
  const administration = { kind: 'keycloak', url: keycloak.url, realm: REALM, clientId: ADMIN_CLIENT, clientSecret }
  const made = await call('POST', PROVIDERS, {
    name: 'Keycloak',
    kind: 'oidc',
    issuer,
    audience: AUDIENCE,
    administration,
  })
  assert.equal(made.status, 201, made.text)
  const provider = `${PROVIDERS}/${made.json.id}`
  const test = async () => (await call('POST', `${provider}/test`)).json

  const refused = await test()
  assert.equal(refused.ok, false)
  assert.match(JSON.stringify(refused.checks), /the permission manage-clients/)
  report('without a role, the test says that manage-clients is missing')
  await grant(keycloak, serviceAccountId, 'view-clients')
  const reading = (await test()).checks.map(({ ok }: { ok: boolean }) => ok)
  assert.deepEqual(reading, [true, true, false])
  report('with view-clients, it can read but not create')
  await grant(keycloak, serviceAccountId, 'manage-clients')
  assert.equal((await test()).ok, true)
  report('with manage-clients, the test passes')

  const before = await listClients(keycloak)
  const account = await call('POST', ACCOUNTS, { name: 'nightly', identityProviderId: made.json.id })
  assert.equal(account.status, 201, account.text)
  const path = `${ACCOUNTS}/${account.json.id}`
  assert.equal(await statusWith(controller, account.json.credentials), 200)
  report('an account is created, and its token is accepted')

  assert.equal((await call('PATCH', path, { active: false })).status, 200)
  assert.equal(await tokenOf(account.json.credentials), undefined)
  assert.equal((await call('PATCH', path, { active: true })).status, 200)
  assert.equal(await statusWith(controller, account.json.credentials), 200)
  report('a disabled account gets no tokens, an enabled one does')

  const rotated = await call('POST', `${path}/rotate`, { overlapMinutes: 60 })
  assert.equal(rotated.status, 200, rotated.text)
  for (const { credentials } of [account.json, rotated.json])
    assert.equal(await statusWith(controller, credentials), 200)
  report('after a rotation, both credentials work')

  assert.equal((await call('DELETE', path)).status, 204)
  assert.deepEqual(await listClients(keycloak), before)
  assert.deepEqual((await call('GET', '/identity/v1/account-jobs')).json, [])
  report('a deleted account leaves no client')
}

function report(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** A realm with a client that has a service account without roles. */
async function makeRealm({ admin }: Keycloak) {
  await admin('POST', '/realms', { realm: REALM, enabled: true })
  const clientSecret = 'the-administration-secret'
  const client = { clientId: ADMIN_CLIENT, secret: clientSecret, serviceAccountsEnabled: true, publicClient: false }
  const { location } = await admin('POST', `/realms/${REALM}/clients`, client)
  const id = location.split('/').at(-1)
  const { json } = await admin('GET', `/realms/${REALM}/clients/${id}/service-account-user`)
  return { clientSecret, serviceAccountId: (json as { id: string }).id }
}

async function grant({ admin }: Keycloak, userId: string, role: string): Promise<void> {
  const found = await admin('GET', `/realms/${REALM}/clients?clientId=realm-management`)
  const [management] = found.json as { id: string }[]
  const { json } = await admin('GET', `/realms/${REALM}/clients/${management?.id}/roles/${role}`)
  await admin('POST', `/realms/${REALM}/users/${userId}/role-mappings/clients/${management?.id}`, [json])
}

async function listClients({ admin }: Keycloak): Promise<string[]> {
  const { json } = await admin('GET', `/realms/${REALM}/clients`)
  return (json as { clientId: string }[]).map(({ clientId }) => clientId).sort()
}

interface Credentials {
  readonly clientId: string
  readonly password: string
  readonly authenticationUrl: string
}

async function tokenOf({ clientId, password, authenticationUrl }: Credentials): Promise<string | undefined> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: password })
  const response = await fetch(authenticationUrl, { method: 'POST', body })
  return ((await response.json()) as { access_token?: string }).access_token
}

async function statusWith(controller: ReadyController, credentials: Credentials): Promise<number> {
  const headers = { authorization: `Bearer ${await tokenOf(credentials)}` }
  return (await controller.request('GET', '/core/v3/networks', { headers })).status
}
