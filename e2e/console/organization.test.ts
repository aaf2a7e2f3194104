import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'

const ACCOUNTS = '/identity/v1/api-account-identities'
const NETWORKS = '/core/v3/networks'
const PROVIDERS = '/identity/v1/identity-providers'
const SELF = '/identity/v1/identities/self'
const stage = useConsole()

const request = (method: string, path: string, body?: unknown) =>
  stage().controller.request(method, path, { session: stage().session, ...(body !== undefined && { body }) })

interface Credentials {
  readonly clientId: string
  readonly password: string
  readonly authenticationUrl: string
}

/** Requests an access token from the provider with the credentials of a downloaded file. */
async function requestToken({ clientId, password, authenticationUrl }: Credentials): Promise<string | undefined> {
  const basic = Buffer.from(`${clientId}:${password}`).toString('base64')
  const response = await fetch(authenticationUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return ((await response.json()) as { access_token?: string }).access_token
}

const callSelf = (token: string | undefined) =>
  stage().controller.request('GET', SELF, { headers: { authorization: `Bearer ${token}` } })

async function download(page: Page): Promise<Credentials> {
  const offered = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download credentials.json' }).click()
  const file = JSON.parse(readFileSync(await (await offered).path(), 'utf8'))
  assert.deepEqual(Object.keys(file), ['clientId', 'password', 'authenticationUrl'])
  return file
}

/** Returns a function that resolves when the page has received that its session has ended. */
async function watchSession(page: Page): Promise<() => Promise<void>> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const browser = await page.context().newCDPSession(page)
  // Read before the page has it: the browser may drop the body of a response afterwards.
  browser.on('Fetch.requestPaused', async ({ requestId }) => {
    try {
      const { body, base64Encoded } = await browser.send('Fetch.getResponseBody', { requestId })
      await browser.send('Fetch.continueRequest', { requestId })
      if (Buffer.from(body, base64Encoded ? 'base64' : 'utf8').includes('"isLive":false')) resolve()
    } catch (error) {
      reject(error)
    }
  })
  await browser.send('Fetch.enable', { patterns: [{ urlPattern: '*/console/session', requestStage: 'Response' }] })
  return () => promise
}

async function userPool(): Promise<string> {
  const providers: { id: string; kind: string }[] = (await request('GET', PROVIDERS)).json
  return providers.find(({ kind }) => kind === 'cognito')?.id ?? assert.fail('there is no user pool')
}

test('a network is added, edited and deleted, and errors are shown at their field', needsBrowser, async () => {
  const { page, pageErrors, go, goAsAdmin } = await stage().open()
  for (const [list, file, member] of [
    ['api-accounts', 'api-accounts', 'role'],
    ['providers', 'identity-providers', 'issuer'],
    ['all', 'organizations', 'label'],
    ['account-jobs', 'account-jobs', 'state'],
    ['audit-events', 'audit-events', 'actorName'],
    ['networks', 'networks', 'region'],
  ] as const) {
    await goAsAdmin(`organization/${list}`)
    const exporting = page.getByRole('button', { name: 'Export CSV' })
    const [download] = await Promise.all([page.waitForEvent('download'), exporting.click()])
    assert.match(download.suggestedFilename(), new RegExp(`^${file}-\\d{4}-\\d\\d-\\d\\d\\.csv$`))
    const [head = '', ...rows] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.ok(head.startsWith('id,') && head.split(',').includes(member), head)
    assert.ok(list === 'account-jobs' || rows.length > 0, list)
  }
  await page.getByRole('link', { name: 'Add a network' }).click()
  const name = page.getByRole('textbox', { name: 'Name' })
  await page.getByRole('button', { name: 'Add the network' }).click()
  await page.getByText('The name is required').waitFor()
  await name.fill('local')
  await page.getByRole('textbox', { name: 'Controller' }).fill('http://plant.example')
  await page.getByRole('button', { name: 'Add the network' }).click()
  await page.getByText('The URL must use https').waitFor()
  await page.getByRole('textbox', { name: 'Controller' }).fill('https://plant.example:8441')
  await page.getByRole('button', { name: 'Add the network' }).click()
  await page.locator('[data-path="name"][aria-invalid="true"]').waitFor()
  await name.fill('plant')
  await page.getByRole('button', { name: 'Add the network' }).click()
  await page.getByText('The network is added.').waitFor()
  await page.getByRole('heading', { name: 'plant' }).waitFor()
  await page.getByRole('textbox', { name: 'Region' }).fill('eu-north')
  await page.getByRole('textbox', { name: 'Controller' }).fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'eu-north' }).waitFor()
  assert.equal(await page.getByRole('cell', { name: 'plant.example:8441' }).count(), 0)

  await page.getByRole('link', { name: 'local', exact: true }).click()
  await page.getByRole('heading', { name: 'local' }).waitFor()
  assert.ok(
    await page.getByRole('textbox', { name: 'Controller' }).isDisabled(),
    'the address of this controller is fixed',
  )
  assert.equal(await page.getByRole('button', { name: 'Delete local' }).count(), 0)

  await go('organization/networks')
  await page.getByRole('link', { name: 'plant', exact: true }).click()
  await page.getByRole('button', { name: 'Delete plant' }).click()
  await page.getByRole('dialog', { name: 'Delete “plant”?' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The network “plant” is deleted.').waitFor()
  await page.getByRole('link', { name: 'local', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'plant', exact: true }).count(), 0)
  assert.deepEqual(pageErrors, [])
})

test('a form opens with the current values, and overwrites no later change', needsBrowser, async () => {
  const account = (await request('POST', ACCOUNTS, { name: 'twice', identityProviderId: await userPool() })).json
  const network = JSON.parse((await request('POST', NETWORKS, { name: 'mill', region: 'eu' })).text)
  const { page, pageErrors, go, goAsAdmin } = await stage().open()
  await goAsAdmin('organization/networks')
  await page.getByRole('link', { name: 'mill', exact: true }).click()
  await page.getByRole('textbox', { name: 'Region' }).fill('us')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'us', exact: true }).waitFor()
  await page.getByRole('link', { name: 'mill', exact: true }).click()
  const region = page.getByRole('textbox', { name: 'Region' })
  await region.waitFor()
  assert.equal(await region.inputValue(), 'us')
  await request('PATCH', `${NETWORKS}/${network.id}`, { provider: 'OTHER' })
  await page.getByRole('textbox', { name: 'Size' }).fill('large')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changed since you opened it').waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('textbox', { name: 'Size' }).fill('large')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Networks' }).waitFor()
  const { provider, size, region: saved } = JSON.parse((await request('GET', `${NETWORKS}/${network.id}`)).text)
  assert.deepEqual([provider, size, saved], ['OTHER', 'large', 'us'])

  await page.getByRole('link', { name: 'Manage API Account' }).click()
  await page.getByRole('link', { name: 'twice', exact: true }).click()
  await page.getByRole('textbox', { name: 'Contact e-mail' }).waitFor()
  await request('PATCH', `${ACCOUNTS}/${account.id}`, { description: 'theirs' })
  await page.getByRole('textbox', { name: 'Contact e-mail' }).fill('first@example.com')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changed since you opened it').waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('textbox', { name: 'Contact e-mail' }).waitFor()
  for (const address of ['second@example.com', 'robots@example.com']) {
    await page.getByRole('textbox', { name: 'Contact e-mail' }).fill(address)
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
    const reloaded = page.waitForResponse(
      (response) => response.request().method() === 'GET' && response.url().endsWith(account.id),
    )
    await page.getByRole('button', { name: 'Save' }).click()
    assert.equal((await saved).status(), 200, 'its own earlier change is no conflict')
    await reloaded
  }
  const { description, contactEmail } = (await request('GET', `${ACCOUNTS}/${account.id}`)).json
  assert.deepEqual([description, contactEmail], ['theirs', 'robots@example.com'])
  await go('organization/networks?page=50')
  await page.getByRole('link', { name: 'mill', exact: true }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test(
  'S2-5.3 an account is edited and rotated, the new file works and the old one does not, and it is deleted by name',
  needsBrowser,
  async () => {
    const created = await request('POST', ACCOUNTS, { name: 'robot', identityProviderId: await userPool() })
    const { id, credentials: old } = created.json
    const oldToken = await requestToken(old)
    assert.equal((await callSelf(oldToken)).status, 200)
    const { page, pageErrors, goAsAdmin } = await stage().open()
    await goAsAdmin('organization/api-accounts')
    await page.getByRole('link', { name: 'robot', exact: true }).click()
    await page.getByRole('textbox', { name: 'Contact e-mail' }).fill('not an address')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This is not an e-mail address').waitFor()
    await page.getByRole('textbox', { name: 'Contact e-mail' }).fill('robots@example.com')
    await page.getByRole('textbox', { name: 'Name' }).fill('Local user pool')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('[data-path="name"][aria-invalid="true"]').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('robot two')
    await page.getByRole('textbox', { name: 'Description' }).fill('counts networks')
    await page.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'Organization read-only' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'robot two' }).waitFor()
    const { name, contactEmail, description, role } = (await request('GET', `${ACCOUNTS}/${id}`)).json
    assert.deepEqual(
      [name, contactEmail, description, role],
      ['robot two', 'robots@example.com', 'counts networks', 'read-only'],
    )

    await page.getByRole('button', { name: 'Rotate robot two' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rotate “robot two”?' })
    await dialog.getByRole('combobox', { name: 'Old credentials stay valid for' }).click()
    await page.getByRole('option', { name: 'Not at all' }).click()
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    const fresh = await download(page)
    assert.notEqual(fresh.clientId, old.clientId)
    assert.equal((await callSelf(await requestToken(fresh))).json.name, 'robot two')
    assert.equal((await callSelf(oldToken)).status, 401)
    await page.getByLabel('I have stored the file').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText(fresh.clientId).first().waitFor()
    assert.ok(!(await page.content()).includes(fresh.password))

    await page.getByRole('button', { name: 'Delete robot two' }).click()
    await page.getByRole('dialog', { name: 'Delete “robot two”?' }).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The account “robot two” is deleted.').waitFor()
    await page.getByRole('heading', { name: 'Manage API Account' }).waitFor()
    assert.equal((await request('GET', `${ACCOUNTS}/${id}`)).status, 404)
    assert.deepEqual(pageErrors, [])
  },
)

test(
  'D50 the account of an existing client of the provider shows the three members, with a placeholder for the password',
  needsBrowser,
  async () => {
    const { page, pageErrors, goAsAdmin } = await stage().open()
    await goAsAdmin('organization/api-accounts/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('known there')
    await page.getByRole('combobox', { name: 'Identity provider' }).click()
    await page.getByRole('option', { name: /user pool/i }).click()
    await page.getByRole('switch', { name: 'Use an existing client of the provider' }).check()
    await page.getByRole('textbox', { name: 'Client id' }).fill('theirs-already')
    await page.getByRole('button', { name: 'Add the account' }).click()
    await page.getByRole('heading', { name: 'known there' }).waitFor()
    const shown = JSON.parse(
      (await page.getByRole('region', { name: 'Credentials file' }).locator('code, pre').first().textContent()) ?? '',
    )
    assert.deepEqual(Object.keys(shown), ['clientId', 'password', 'authenticationUrl'])
    assert.equal(shown.clientId, 'theirs-already')
    assert.match(shown.authenticationUrl, /^https?:/)
    assert.equal(await page.getByRole('button', { name: 'Download credentials.json' }).count(), 0)
    assert.deepEqual(pageErrors, [])
  },
)

test(
  'Y-01 an account without secrets shows its conditions, the audience and the job to paste',
  needsBrowser,
  async () => {
    const { page, pageErrors, goAsAdmin } = await stage().open()
    await goAsAdmin('organization/api-accounts/new-federated')
    await page.getByRole('textbox', { name: 'Name' }).fill('by jobs')
    await page.getByRole('textbox', { name: 'Jobs of' }).fill('acme')
    await page.getByRole('combobox', { name: 'Identity provider' }).click()
    await page.getByRole('option', { name: /enterprise/i }).click()
    await page.getByRole('button', { name: 'Add the account' }).click()
    await page.getByText('Write owner/repository').waitFor()
    await page.getByRole('textbox', { name: 'Jobs of' }).fill('acme/app')
    await page.getByRole('textbox', { name: 'Environment' }).fill('production')
    await page.getByRole('button', { name: 'Add the account' }).click()
    await page.getByRole('heading', { name: 'by jobs' }).waitFor()
    const section = page.getByRole('region', { name: 'Without secrets' })
    await section.getByText('repository: acme/app').waitFor()
    await section.getByText(/^urn:countersign:organization:/).waitFor()
    assert.match((await section.locator('pre').textContent()) ?? '', /environment: production/)
    assert.equal(await page.getByRole('button', { name: 'Rotate by jobs' }).count(), 0)
    assert.deepEqual(pageErrors, [])
  },
)

test('a file that is offered only once survives going back and the end of the session', needsBrowser, async () => {
  const created = await request('POST', ACCOUNTS, { name: 'kept', identityProviderId: await userPool() })
  const { page, go, logInAsAdmin, endSession } = await stage().open()
  await logInAsAdmin()
  await go('organization/api-accounts')
  await page.getByRole('link', { name: 'kept', exact: true }).click()
  // The list page has the same button.
  await page.getByRole('heading', { name: 'kept', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Rotate kept' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  const offer = page.getByRole('button', { name: 'Download credentials.json' })
  await offer.waitFor()
  await page.goBack()
  await offer.waitFor()
  assert.equal(new URL(page.url()).pathname, `/console/organization/api-accounts/${created.json.id}`)

  const noticed = await watchSession(page)
  await endSession()
  await noticed()
  const fresh = await download(page)
  assert.equal((await callSelf(await requestToken(fresh))).status, 200)
  await page.getByLabel('I have stored the file').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
})

test('after a rotation the old credentials stay valid for the chosen time', needsBrowser, async () => {
  const created = await request('POST', ACCOUNTS, { name: 'overlapping', identityProviderId: await userPool() })
  const oldToken = await requestToken(created.json.credentials)
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin(`organization/api-accounts/${created.json.id}`)
  await page.getByRole('button', { name: 'Rotate overlapping' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  const fresh = await download(page)
  assert.equal((await callSelf(await requestToken(fresh))).status, 200)
  assert.equal((await callSelf(oldToken)).status, 200)
})

test('the test of a connection says what is missing, and a failed job is repeated', needsBrowser, async (t) => {
  const state = { status: 401 }
  const server = createServer((_, response) => {
    const client = { client_id: `client-${Date.now()}`, client_secret: 'secret' }
    response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify(client))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const urls = { issuer: `${base}/`, jwksUri: `${base}/keys`, tokenUrl: `${base}/token` }
  const administration = { kind: 'rfc7591', registrationUrl: `${base}/register` }
  const body = { name: 'failing', kind: 'oidc', audience: 'a', ...urls, administration }
  const { id } = (await request('POST', PROVIDERS, body)).json
  const { page, pageErrors, go, goAsAdmin } = await stage().open()
  await goAsAdmin(`organization/providers/${id}`)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText(/registrationToken is missing or refused/).waitFor()
  assert.equal((await request('POST', ACCOUNTS, { name: 'unlucky', identityProviderId: id })).status, 502)
  await go('organization/account-jobs')
  await page.getByRole('cell', { name: 'Failed' }).waitFor()
  state.status = 201
  await page.getByRole('button', { name: 'Repeat unlucky' }).click()
  assert.equal((await download(page)).password, 'secret')
  assert.deepEqual((await request('GET', '/identity/v1/account-jobs')).json, [])
  assert.deepEqual(pageErrors, [])
})

test('a provider is edited, and can be deleted only without accounts', needsBrowser, async () => {
  const issuer = 'https://idp.example'
  const body = { name: 'acme', kind: 'oidc', issuer, audience: 'a', requiredScope: 'read' }
  const more = { jwksUri: `${issuer}/keys`, tokenUrl: `${issuer}/token` }
  const { id } = (await request('POST', PROVIDERS, { ...body, ...more })).json
  const account = { name: 'their machine', identityProviderId: id, clientId: 'theirs' }
  const { id: accountId } = (await request('POST', ACCOUNTS, account)).json
  const { page, pageErrors, go, goAsAdmin } = await stage().open()
  await goAsAdmin('organization/providers')
  await page.getByRole('link', { name: 'acme', exact: true }).click()
  await page.getByRole('textbox', { name: 'Required scope' }).fill('')
  await page.getByRole('textbox', { name: 'Token URL' }).fill(`${issuer}/oauth/token`)
  await page.getByRole('combobox', { name: 'Administration' }).click()
  await page.getByRole('option', { name: /RFC 7591/ }).click()
  await page.getByRole('textbox', { name: 'Registration URL' }).fill(`${issuer}/register`)
  await page.getByRole('textbox', { name: 'Registration token' }).fill('let me in')
  await page.getByRole('textbox', { name: 'JWKS URI' }).fill('https://10.0.0.1/keys')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('[data-path="jwksUri"][aria-invalid="true"]').waitFor()
  await page.getByRole('textbox', { name: 'JWKS URI' }).fill(`${issuer}/jwks`)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The identity provider is saved.').waitFor()
  const saved = (await request('GET', `${PROVIDERS}/${id}`)).json
  assert.deepEqual(
    [saved.requiredScope, saved.tokenUrl, saved.jwksUri, saved.hasRegistrationToken],
    [null, `${issuer}/oauth/token`, `${issuer}/jwks`, true],
  )
  await go(`organization/providers/${id}`)
  await page.getByLabel('Delete the registration token').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The identity provider is saved.').waitFor()
  assert.equal((await request('GET', `${PROVIDERS}/${id}`)).json.hasRegistrationToken, false)

  await go(`organization/providers/${id}`)
  await page.getByRole('button', { name: 'Delete acme' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete “acme”?' })
  await dialog.getByRole('link', { name: 'their machine' }).waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('alert').waitFor()
  assert.equal((await request('DELETE', `${ACCOUNTS}/${accountId}`)).status, 204)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The identity provider “acme” is deleted.').waitFor()
  assert.equal((await request('GET', `${PROVIDERS}/${id}`)).status, 404)
  assert.deepEqual(pageErrors, [])
})

test('a provider whose name alone is changed keeps its administration and the secret', needsBrowser, async () => {
  const issuer = 'https://login.example'
  const urls = { issuer, jwksUri: `${issuer}/keys`, tokenUrl: `${issuer}/token` }
  const administration = { kind: 'entra', url: 'https://graph.example', clientId: 'administrator' }
  const sealed = { ...administration, clientSecret: 'sealed' }
  const body = { name: 'directory', kind: 'oidc', audience: 'a', ...urls, administration: sealed }
  const created = await request('POST', PROVIDERS, body)
  assert.equal(created.status, 201, created.text)
  const { id } = created.json
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin(`organization/providers/${id}`)
  assert.equal(await page.getByRole('textbox', { name: 'Administration URL' }).inputValue(), administration.url)
  await page.getByRole('textbox', { name: 'Name' }).fill('directory two')
  const sent = page.waitForRequest((one) => one.method() === 'PATCH')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.deepEqual((await sent).postDataJSON(), { name: 'directory two' })
  await page.getByText('The identity provider is saved.').waitFor()
  const saved = (await request('GET', `${PROVIDERS}/${id}`)).json
  assert.deepEqual([saved.name, saved.administration], ['directory two', { ...administration, clientSecretSet: true }])
  assert.deepEqual(pageErrors, [])
})

test('an account is added and its file downloaded by keyboard alone', needsBrowser, async () => {
  const { page, goAsAdmin, reach } = await stage().open()
  await goAsAdmin('organization/api-accounts/new')
  const { keyboard } = page
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
  await reach('[data-path="name"]')
  await keyboard.type('typed')
  await reach('[data-path="identityProviderId"]')
  await keyboard.press('ArrowDown')
  await page.getByRole('option', { name: /user pool/i }).waitFor()
  for (let presses = 0; presses < 5; presses++) {
    const chosen = await page.locator('[data-combobox-selected]').allTextContents()
    if (chosen.some((text) => /user pool/i.test(text))) break
    await keyboard.press('ArrowDown')
  }
  await keyboard.press('Enter')
  await reach('button[type="submit"]')
  await keyboard.press('Enter')
  await page.getByRole('button', { name: 'Download credentials.json' }).waitFor()
  await page.locator('button:focus', { hasText: 'Download credentials.json' }).waitFor()
  const offered = page.waitForEvent('download')
  await keyboard.press('Enter')
  const file = JSON.parse(readFileSync(await (await offered).path(), 'utf8'))
  assert.equal((await callSelf(await requestToken(file))).json.name, 'typed')
  await reach('input[type="checkbox"]')
  await keyboard.press('Space')
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'typed' }).waitFor()
})

test('the operator suspends an organization, resumes it and sets its quotas', needsBrowser, async () => {
  const made = await request('POST', '/identity/v1/organizations', { name: 'Acme Ltd', label: 'ACME' })
  assert.equal(made.status, 201, made.text)
  const path = `/identity/v1/operator/organizations/${made.json.id}`
  const stored = async () => (await request('GET', path)).json
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('organization/all')
  const row = page.getByRole('row', { name: /Acme Ltd/ })
  await row.getByText('Active').waitFor()
  await row.getByText('0 of 50').waitFor()
  await page.getByRole('link', { name: 'Acme Ltd' }).click()
  await page.getByRole('heading', { name: 'Acme Ltd' }).waitFor()

  await page.getByRole('button', { name: 'Suspend Acme Ltd' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('the invoice is unpaid')
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  await page.getByText('The organization “Acme Ltd” is suspended.').waitFor()
  await page.getByText('the invoice is unpaid').waitFor()
  const suspended = await stored()
  assert.deepEqual([suspended.active, suspended.suspension.reason], [false, 'the invoice is unpaid'])

  await page.getByRole('button', { name: 'Resume Acme Ltd' }).click()
  await page.getByText('The organization “Acme Ltd” is resumed.').waitFor()
  await page.getByRole('button', { name: 'Suspend Acme Ltd' }).waitFor()
  assert.deepEqual([(await stored()).active, (await stored()).suspension], [true, null])

  const networks = page.getByRole('textbox', { name: 'Networks' })
  assert.equal(await networks.inputValue(), '1000')
  await networks.fill('3')
  await page.getByRole('button', { name: 'Save quotas' }).click()
  await page.getByText('The quotas are saved.').waitFor()
  assert.deepEqual((await stored()).quotas, { ...suspended.quotas, networks: 3 })

  assert.equal((await request('PATCH', `${path}/quotas`, { networks: 4 })).status, 200)
  await networks.fill('5')
  await page.getByRole('button', { name: 'Save quotas' }).click()
  await page.getByText('Changed since you opened it').waitFor()
  assert.equal((await stored()).quotas.networks, 4, 'a change of another operator is not overwritten')
  assert.deepEqual(pageErrors, [])
})
