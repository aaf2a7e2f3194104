import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpCode, totpStep } from '@countersign/core'
import { readProvisioningSecret } from '@countersign/testkit'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch-browser.ts'
import { ADMIN, useConsole } from './console-stage.ts'

const MANAGEMENT = '/edge/management/v1'
const CLIENT = '/edge/client/v1'
const PASSWORD = 'a password of theirs'
const stage = useConsole()

const manage = (method: string, path: string, body?: unknown) =>
  stage().controller.request(method, MANAGEMENT + path, {
    session: stage().session,
    ...(body !== undefined && { body }),
  })

/** Creates a policy with these second factors. Returns its id. */
async function makePolicy(name: string, factors: object): Promise<string> {
  const { primary, secondary } = (await manage('GET', '/auth-policies/default')).json.data
  const body = { name, primary, secondary: { ...secondary, ...factors } }
  return (await manage('POST', '/auth-policies', body)).json.data.id
}

/** Creates an administrator with a password. Returns the id. */
async function makePerson(username: string, members: object): Promise<string> {
  const body = { name: `${username} by password`, type: 'User', isAdmin: true, ...members }
  const created = await manage('POST', '/identities', body)
  assert.equal(created.status, 201, created.text)
  const identityId = created.json.data.id
  const authenticator = { method: 'updb', identityId, username, password: PASSWORD }
  assert.equal((await manage('POST', '/authenticators', authenticator)).status, 201)
  return identityId
}

async function enterPassword(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const signersOf = async (page: Page) => {
  await page.getByRole('heading', { name: 'Signers' }).waitFor()
  return new URL(page.url())
}

test('a one-time code is requested after the password, and a wrong one is reported', needsBrowser, async () => {
  await makePerson('tina', { authPolicyId: await makePolicy('codes', { requireTotp: true }) })
  const body = { username: 'tina', password: PASSWORD }
  const session = (await stage().controller.request('POST', `${CLIENT}/authenticate?method=password`, { body })).json
    .data.token
  const own = (method: string, path: string, members?: object) =>
    stage().controller.request(method, `${CLIENT}/current-identity/mfa${path}`, {
      session,
      ...(members && { body: members }),
    })
  await own('POST', '')
  const { provisioningUrl, recoveryCodes } = (await own('GET', '')).json.data
  const secret = readProvisioningSecret(provisioningUrl)
  const step = totpStep(Date.now())
  assert.equal((await own('POST', '/verify', { code: totpCode(secret, step) })).status, 200)

  const { page, pageErrors, go } = await stage().open()
  await go('signers?q=local')
  await enterPassword(page, 'tina')
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
  await page.getByText('Signing in as tina by password').waitFor()
  await page.getByLabel('One-time code').fill('000000')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByText('The code was not accepted').waitFor()
  await page.reload()
  // The code of the next step is valid already; that of this step has been used.
  await page.getByLabel('One-time code').fill(totpCode(secret, totpStep(Date.now()) + 1))
  await page.keyboard.press('Enter')
  assert.equal((await signersOf(page)).search, '?q=local')

  const other = await stage().open()
  await other.go('')
  await enterPassword(other.page, 'tina')
  await other.page.getByLabel('One-time code').fill(recoveryCodes[0])
  await other.page.keyboard.press('Enter')
  await other.page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.deepEqual([pageErrors, other.pageErrors], [[], []])
})

test('required one-time codes are set up during the login', needsBrowser, async () => {
  const id = await makePerson('nora', { authPolicyId: await makePolicy('codes to set up', { requireTotp: true }) })
  const { page, pageErrors, go } = await stage().open()
  await go('')
  await enterPassword(page, 'nora')
  await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor()
  const address = (await page.getByRole('link', { name: 'open the app on this device' }).getAttribute('href')) ?? ''
  assert.match(address, /^otpauth:\/\/totp\//)
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  assert.ok(codes.length >= 10)
  await page.getByLabel('One-time code').fill('000000')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByText('The code was not accepted').waitFor()
  assert.equal((await manage('GET', `/identities/${id}`)).json.data.isMfaEnabled, false)
  const secret = readProvisioningSecret(address)
  await page.getByLabel('One-time code').fill(totpCode(secret, totpStep(Date.now())))
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.equal((await manage('GET', `/identities/${id}`)).json.data.isMfaEnabled, true)

  await page.getByRole('button', { name: /Signed in as nora/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await enterPassword(page, 'nora')
  await page.getByLabel('One-time code').fill(codes[0] ?? '')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test(
  'D22 a second token that the policy requires is fetched at the provider, and must be of the same person',
  needsBrowser,
  async () => {
    const [signer] = (await manage('GET', '/ext-jwt-signers?filter=name%3D%22local-provider%22')).json.data
    const authPolicyId = await makePolicy('two of them', { requireExtJwtSigner: signer.id })
    const [bob] = (await manage('GET', '/identities?filter=name%3D%22bob%22')).json.data
    assert.equal((await manage('PATCH', `/identities/${bob.id}`, { authPolicyId, isAdmin: true })).status, 200)
    const authenticator = { method: 'updb', identityId: bob.id, username: 'bob-by-password', password: PASSWORD }
    assert.equal((await manage('POST', '/authenticators', authenticator)).status, 201)

    const { page, pageErrors, go } = await stage().open()
    await go('signers?q=local')
    await enterPassword(page, 'bob-by-password')
    await page.getByText('Sign in there as the same person.').waitFor()
    const logInAs = async (person: RegExp) => {
      await page.getByRole('link', { name: 'Continue with local-provider' }).click()
      await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
      await page.getByRole('button', { name: person }).click()
    }
    await logInAs(/alice/i)
    await page.getByText('Login refused').waitFor()
    await page.getByRole('heading', { name: 'One more step' }).waitFor()
    await logInAs(/bob/i)
    assert.equal((await signersOf(page)).search, '?q=local')
    await page.getByRole('link', { name: 'local-provider' }).waitFor()
    const cookies = (await page.context().cookies()).filter(({ name }) => name.startsWith('__Host-countersign-second'))
    assert.deepEqual(
      cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
      [['__Host-countersign-second', true, 'Strict']],
    )

    // Without the second token the session needs it again, and returns to the page afterwards.
    await page.context().clearCookies({ name: '__Host-countersign-second' })
    await page.reload()
    await logInAs(/bob/i)
    assert.equal((await signersOf(page)).pathname, '/console/signers')
    assert.deepEqual(pageErrors, [])
  },
)

test(
  'Q-08 a page that was requested without a session opens after the login, by password and by provider',
  needsBrowser,
  async () => {
    const { page, pageErrors, go, logInAsAdmin, endSession } = await stage().open()
    const [signer] = (await manage('GET', '/ext-jwt-signers?filter=name%3D%22local-provider%22')).json.data
    await go(`signers/${signer.id}`)
    await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
    await enterPassword(page, ADMIN.username, ADMIN.password)
    await page.getByRole('heading', { name: 'local-provider' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/console/signers/${signer.id}`)
    await page.goBack()
    assert.notEqual(new URL(page.url()).pathname, '/console/sign-in', 'going back does not lead to the login page')

    await go('policies/default')
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await endSession()
    await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor({ timeout: 60_000 })
    await enterPassword(page, ADMIN.username, ADMIN.password)
    await page.getByRole('button', { name: 'Save' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/console/policies/default')

    await endSession()
    await page.getByRole('button', { name: 'Save' }).click()
    // Well before the next regular check: the refusal itself causes one.
    await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor({ timeout: 8_000 })

    await page.context().clearCookies()
    await go('test-token')
    await page.getByRole('link', { name: 'Continue with local-provider' }).click()
    await page.getByRole('button', { name: /dave/i }).click()
    await page.getByText('Login refused').waitFor()
    await page.getByRole('link', { name: 'Continue with local-provider' }).click()
    await page.getByRole('button', { name: /alice/i }).click()
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/console/test-token')

    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', '/console/..//evil.example']) {
      await page.context().clearCookies()
      await go(`sign-in?next=${encodeURIComponent(next)}`)
      await enterPassword(page, ADMIN.username, ADMIN.password)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.waitForURL(/^https:\/\/[^/]+\/console\/?$/)
    }
    await page.context().clearCookies()
    await logInAsAdmin()
    assert.deepEqual(pageErrors, [])
  },
)

test('a caller with few permissions sees what is not allowed, and nothing wrong', needsBrowser, async () => {
  const [signer] = (await manage('GET', '/ext-jwt-signers?filter=name%3D%22local-provider%22')).json.data
  const policyId = await makePolicy('careful', { requireExtJwtSigner: signer.id })
  await makePerson('clerk', { isAdmin: false, permissions: ['auth-policy', 'identity.read'] })
  const { page, pageErrors, go } = await stage().open()
  await go('')
  await enterPassword(page, 'clerk')
  await page.getByRole('heading', { name: 'My account' }).waitFor()
  await go(`policies/${policyId}`)
  await page.getByRole('button', { name: 'Save' }).waitFor()
  assert.equal(await page.getByRole('combobox', { name: 'Require a token of signer' }).inputValue(), signer.id)
  await go(`signers/${signer.id}`)
  await page.getByRole('heading', { level: 1, name: 'You may not see this' }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test('Q-08 a link on another site starts a login only in a browser without a session', needsBrowser, async () => {
  const [signer] = (await manage('GET', '/ext-jwt-signers?filter=name%3D%22local-provider%22')).json.data
  const { consoleUrl } = stage().controller.ready
  const href = new URL(`login/${signer.id}?next=/console/signers`, consoleUrl).href
  const follow = async (page: Page) => {
    await page.goto('about:blank')
    await page.setContent(`<a href="${href}">A link</a>`)
    await page.getByText('A link').click()
  }
  const { page, logInAsAdmin } = await stage().open()
  await logInAsAdmin()
  await follow(page)
  assert.equal((await signersOf(page)).origin, new URL(consoleUrl).origin)

  const { page: another } = await stage().open()
  await follow(another)
  await another.waitForURL((url) => url.origin === new URL(signer.issuer).origin)
})
