import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'

const MANAGEMENT = '/edge/management/v1'
const stage = useConsole()

const manage = (method: string, path: string, body?: unknown) =>
  stage().controller.request(method, MANAGEMENT + path, {
    session: stage().session,
    ...(body !== undefined && { body }),
  })

/** A token of a person of the local provider. */
async function personToken(person: string): Promise<string> {
  const response = await fetch(`${stage().controller.ready.identityProviderUrl}/dev/token`, {
    method: 'POST',
    body: new URLSearchParams({ person }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

test(
  'Q-05 a login by password sets a cookie that scripts cannot read, and stores nothing else',
  needsBrowser,
  async () => {
    const { page, pageErrors, go, logInAsAdmin } = await stage().open()
    await go('')
    await page.getByLabel('User name').fill('admin')
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Wrong user name or password').waitFor()
    await logInAsAdmin()
    assert.deepEqual(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]'), ['', 0, 0])
    const [cookie] = await page.context().cookies()
    assert.deepEqual(
      [cookie?.name, cookie?.httpOnly, cookie?.secure, cookie?.sameSite],
      ['__Host-countersign', true, true, 'Strict'],
    )
    await page.getByRole('button', { name: 'Signed in as admin' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
    assert.deepEqual(await page.context().cookies(), [])
    assert.deepEqual(pageErrors, [])
  },
)

test(
  'the page opens without a failed request before the login, also after a session has ended',
  needsBrowser,
  async () => {
    const { page, pageErrors, go, goAsAdmin, endSession, logInAsAdmin, settle } = await stage().open()
    const failures: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) failures.push(message.text())
    })
    page.on('response', (response) => {
      if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`)
    })
    for (const path of ['', 'identities', 'signers?q=local']) {
      await go(path)
      await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
      await settle()
    }
    await logInAsAdmin()
    await settle()
    await endSession()
    await go('')
    await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
    assert.deepEqual(failures, [])
    // The twin: a failed request is noticed.
    await goAsAdmin('signers/nothing')
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    assert.ok(failures.length > 0)
    assert.deepEqual(pageErrors, [])
  },
)

test('people log in at their provider, and a refused login shows the request id', needsBrowser, async () => {
  const { page, pageErrors, go } = await stage().open()
  const logInAs = async (person: RegExp) => {
    await go('')
    await page.getByRole('link', { name: 'Continue with local-provider' }).click()
    await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
    await page.getByRole('button', { name: person }).click()
  }
  await logInAs(/dave/i)
  await page.getByText('Login refused').waitFor()
  const requestId = (await page.locator('code').textContent()) ?? ''
  assert.equal((await manage('GET', `/auth-decisions/${requestId}`)).json.data.reason, 'unknown-identity')
  await page.context().clearCookies()
  await logInAs(/alice/i)
  await page.getByRole('button', { name: 'Signed in as alice' }).waitFor()
  await page.getByRole('heading', { level: 1, name: 'My account' }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a signer is created by discovery of its issuer, and its keys are shown', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('signers/new')
  await page.getByRole('textbox', { name: 'Issuer' }).fill('https://issuer.invalid')
  await page.getByRole('button', { name: 'Discover' }).click()
  await page.getByText('could not be resolved').waitFor()
  await page.getByRole('textbox', { name: 'Issuer' }).fill(stage().controller.ready.identityProviderUrl ?? '')
  await page.getByRole('button', { name: 'Discover' }).click()
  await page.getByText('Found', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('local-provider')
  await page.getByRole('textbox', { name: 'Audience' }).fill('another audience')
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.getByText('This name is already taken').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('discovered')
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.getByRole('heading', { name: 'discovered' }).waitFor()
  await page.getByRole('cell', { name: 'RS256' }).first().waitFor()
  assert.deepEqual(pageErrors, [])
})

test(
  'a signer that a policy references by now cannot be deleted, and the dialog names the policy',
  needsBrowser,
  async () => {
    const { page, goAsAdmin } = await stage().open()
    const body = { name: 'named', enabled: true, issuer: 'https://named.example', audience: 'a' }
    const { id } = (await manage('POST', '/ext-jwt-signers', { ...body, jwksEndpoint: 'https://named.example/keys' }))
      .json.data
    const { primary, secondary } = (await manage('GET', '/auth-policies/default')).json.data
    const extJwt = { allowed: true, allowedSigners: [id] }
    await goAsAdmin(`signers/${id}`)
    await page.getByText('None. Policies that allow any signer accept its tokens.').waitFor()
    await page.getByRole('button', { name: 'Delete named' }).click()
    const policy = (
      await manage('POST', '/auth-policies', { name: 'names it', primary: { ...primary, extJwt }, secondary })
    ).json
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByText('Authentication policies use it. Remove it from them first.').waitFor()
    assert.equal((await manage('DELETE', `/auth-policies/${policy.data.id}`)).status, 200)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Signers' }).waitFor()
    assert.equal((await manage('GET', `/ext-jwt-signers/${id}`)).status, 404)
  },
)

test('a refused token is explained step by step, pasted or by its request id', needsBrowser, async () => {
  const { page, go, goAsAdmin } = await stage().open()
  const good = await personToken('alice')
  const [header = '', payload = ''] = good.split('.')
  const forged = `${header}.${payload}.${'A'.repeat(342)}`
  const refused = await stage().controller.request('POST', '/edge/client/v1/authenticate?method=ext-jwt', {
    headers: { authorization: `Bearer ${forged}` },
  })
  assert.equal(refused.status, 401)
  await goAsAdmin('test-token')
  await page.getByRole('textbox', { name: 'Token' }).fill(forged)
  await page.getByRole('button', { name: 'Test' }).click()
  await page.getByText('Refused', { exact: true }).waitFor()
  await page.getByText('did not sign this token').first().waitFor()
  await page.getByRole('textbox', { name: 'Token' }).fill(good)
  await page.getByRole('button', { name: 'Test' }).click()
  await page.getByText('Accepted', { exact: true }).waitFor()
  await go('decisions')
  await page.getByLabel('Request id').fill(refused.json.error.requestId)
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByText('did not sign this token').first().waitFor()
})

test(
  'S2-5.2 S2-5.3 an account is added under Manage API Account, and its downloaded file works for a token and a call',
  needsBrowser,
  async () => {
    const { page, pageErrors, goAsAdmin } = await stage().open()
    await goAsAdmin('')
    await page.getByRole('link', { name: 'Manage API Account' }).click()
    await page.getByRole('link', { name: 'Add an account' }).click()
    await page.getByRole('button', { name: 'Add the account' }).click()
    await page.getByText('The name is required').waitFor()
    await page.getByLabel('Name').fill('nightly build')
    await page.getByLabel('Contact e-mail').fill('builds@example.com')
    await page.getByRole('combobox', { name: 'Identity provider' }).click()
    await page.getByRole('option', { name: /user pool/i }).click()
    await page.getByRole('button', { name: 'Add the account' }).click()
    const offered = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download credentials.json' }).click()
    const download = await offered
    assert.equal(download.suggestedFilename(), 'credentials.json')
    const file = JSON.parse(readFileSync(await download.path(), 'utf8'))
    assert.deepEqual(Object.keys(file), ['clientId', 'password', 'authenticationUrl'])

    const basic = Buffer.from(`${file.clientId}:${file.password}`).toString('base64')
    const response = await fetch(file.authenticationUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    const { access_token } = (await response.json()) as { access_token: string }
    const headers = { authorization: `Bearer ${access_token}` }
    const self = await stage().controller.request('GET', '/identity/v1/identities/self', { headers })
    assert.deepEqual([self.status, self.json.name], [200, 'nightly build'])

    await page.getByLabel('I have stored the file').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { level: 1, name: 'nightly build' }).waitFor()
    assert.ok(!(await page.content()).includes(file.password), 'the password is not shown again')
    await page.getByRole('button', { name: 'Disable nightly build' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('button', { name: 'Enable nightly build' }).waitFor()
    assert.equal((await stage().controller.request('GET', '/identity/v1/identities/self', { headers })).status, 401)
    assert.deepEqual(pageErrors, [])
  },
)

test('disabling an identity asks for confirmation by name, and ends its sessions', needsBrowser, async () => {
  const { page, goAsAdmin } = await stage().open()
  const bearer = { authorization: `Bearer ${await personToken('bob')}` }
  const path = '/edge/client/v1/authenticate?method=ext-jwt'
  const { token, identityId } = (await stage().controller.request('POST', path, { headers: bearer })).json.data
  const getCurrentIdentity = () =>
    stage().controller.request('GET', '/edge/client/v1/current-identity', { session: token })
  assert.equal((await getCurrentIdentity()).status, 200)
  await goAsAdmin(`identities/${identityId}`)
  const name = (await getCurrentIdentity()).json.data.name
  await page.getByRole('table', { name: 'Sessions' }).waitFor()
  await page.getByRole('button', { name: `Disable ${name}`, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: `Disable “${name}”?` })
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('No sessions.').waitFor()
  assert.equal((await getCurrentIdentity()).status, 401)
})

test('Q-06 a one-time token is offered as a QR code and as a file', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('identities/new')
  await page.getByLabel('Name').fill('../dora "the\u202Eexe.exe" device')
  await page.getByRole('button', { name: 'Add the identity' }).click()
  await page.getByText('bidirectional characters').waitFor()
  await page.getByLabel('Name').fill('../dora "the" device')
  await page.getByRole('button', { name: 'Add the identity' }).click()
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  const offered = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const download = await offered
  assert.equal(download.suggestedFilename(), 'dora-the-device.jwt')
  assert.equal(readFileSync(await download.path(), 'utf8').split('.').length, 3)
  assert.deepEqual(pageErrors, [])
})

test('a lost connection is shown, and the page recovers when it is back', needsBrowser, async () => {
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin('signers')
  await page.context().setOffline(true)
  await page.getByLabel('Search name, issuer or audience').fill('local')
  await page.getByText('The controller does not respond').first().waitFor()
  await page.context().setOffline(false)
  await page.getByText('The controller does not respond').first().waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'local-provider' }).waitFor()
})
