import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpCode, totpStep } from '@countersign/core'
import { makeTestCertificate, makeTestCsr, mintKeyFrom, mintToken, readProvisioningSecret } from '@countersign/testkit'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'

const MANAGEMENT = '/edge/management/v1'
const CLIENT = '/edge/client/v1'
const stage = useConsole()

const manage = (method: string, path: string, body?: unknown) =>
  stage().controller.request(method, MANAGEMENT + path, {
    session: stage().session,
    ...(body !== undefined && { body }),
  })

async function makeIdentity(name: string, members: object = {}): Promise<string> {
  const response = await manage('POST', '/identities', { name, type: 'Device', isAdmin: false, ...members })
  assert.equal(response.status, 201, response.text)
  return response.json.data.id
}

const getIdentity = async (id: string) => (await manage('GET', `/identities/${id}`)).json.data

const logIn = (username: string, password: string) =>
  stage().controller.request('POST', `${CLIENT}/authenticate?method=password`, { body: { username, password } })

test(
  'tags, app data and the external id are edited in the form, and other members are kept',
  needsBrowser,
  async () => {
    const id = await makeIdentity('tagged', { tags: { floor: 3, old: 'x' }, appData: { lamp: true } })
    const { page, pageErrors, goAsAdmin } = await stage().open()
    await goAsAdmin(`identities/${id}/edit`)
    await page.getByRole('textbox', { name: 'External id' }).fill('tagged@example.com')
    await page.getByRole('button', { name: 'Tags: remove old' }).click()
    await page.getByRole('button', { name: 'Add to tags' }).click()
    await page.getByLabel('Tags, name 2').fill('floor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('“floor” appears twice').waitFor()
    await page.getByLabel('Tags, name 2').fill('team\u202E')
    await page.getByLabel('Tags, value 2').fill('north')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('group', { name: 'Tags' }).getByText('bidirectional characters').waitFor()
    await page.getByLabel('Tags, name 2').fill('team')
    await page.getByRole('button', { name: 'Add to app data' }).click()
    await page.getByLabel('App data, name 2').fill('colour')
    await page.getByLabel('App data, value 2').fill('red')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('team: north').waitFor()
    const { tags, appData, externalId } = await getIdentity(id)
    assert.deepEqual(
      { tags, appData, externalId },
      {
        tags: { floor: 3, team: 'north' },
        appData: { lamp: true, colour: 'red' },
        externalId: 'tagged@example.com',
      },
    )
    assert.deepEqual(pageErrors, [])
  },
)

test(
  'saving after a concurrent change shows a conflict, and changes nothing until the page is reloaded',
  needsBrowser,
  async () => {
    const id = await makeIdentity('contested')
    const policy = (await manage('POST', '/auth-policies', { ...(await defaultPolicy()), name: 'contested policy' }))
      .json.data.id
    const { page, go, goAsAdmin } = await stage().open()
    await goAsAdmin('')
    for (const { path, collection, other, mine } of [
      { path: `identities/${id}/edit`, collection: `identities/${id}`, other: 'theirs', mine: 'mine' },
      { path: `policies/${policy}`, collection: `auth-policies/${policy}`, other: 'their policy', mine: 'my policy' },
    ]) {
      await go(path)
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(mine)
      assert.equal((await manage('PATCH', `/${collection}`, { name: other })).status, 200)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Changed since you opened it').waitFor()
      assert.equal((await manage('GET', `/${collection}`)).json.data.name, other)
      await page.getByRole('button', { name: 'Reload' }).click()
      const name = page.getByRole('textbox', { name: 'Name', exact: true })
      await page.locator(`input[value="${other}"]`).waitFor()
      await name.fill(mine)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(mine, { exact: true }).first().waitFor()
      assert.equal((await manage('GET', `/${collection}`)).json.data.name, mine)
    }
  },
)

const defaultPolicy = async () => {
  const { primary, secondary } = (await manage('GET', '/auth-policies/default')).json.data
  return { primary, secondary }
}

test('an identity is disabled for a duration, and enabled again', needsBrowser, async () => {
  const id = await makeIdentity('resting')
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin(`identities/${id}`)
  const disable = async (length: string, minutes?: string) => {
    await page.getByRole('button', { name: 'Disable resting', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Disable “resting”?' })
    await dialog.getByRole('combobox', { name: 'Disable it' }).click()
    await page.getByRole('option', { name: length }).click()
    if (minutes !== undefined) {
      assert.equal(await dialog.getByRole('button', { name: 'Disable' }).isDisabled(), true)
      await dialog.getByLabel('Minutes').fill(minutes)
    }
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { disabled, disabledUntil } = await getIdentity(id)
    assert.equal(disabled, true)
    return disabledUntil === undefined ? undefined : Math.round((Date.parse(disabledUntil) - Date.now()) / 60_000)
  }
  const enable = async () => {
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable resting', exact: true }).waitFor()
  }
  assert.equal(await disable('for an hour'), 60)
  await page.getByText('Disabled until').waitFor()
  await enable()
  assert.equal(await disable('for another duration', '7'), 7)
  await enable()
  assert.equal(await disable('until it is enabled'), undefined)
})

test('a password is added and reset by the rules of its policy, and the old one is refused', needsBrowser, async () => {
  const rules = await defaultPolicy()
  rules.primary.updb = { ...rules.primary.updb, minPasswordLength: 10, requireNumberChar: true }
  const authPolicyId = (await manage('POST', '/auth-policies', { ...rules, name: 'numbers' })).json.data.id
  const id = await makeIdentity('forgetful', { authPolicyId })
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin(`identities/${id}`)
  await page.getByRole('button', { name: 'Add a password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Passwords have at least 10 characters, with a digit.').waitFor()
  await dialog.getByLabel('User name').fill('forgetful')
  const password = dialog.getByRole('textbox', { name: 'Password' })
  await password.fill('first one')
  await dialog.getByRole('button', { name: 'Add the password' }).click()
  await dialog.getByText('At least 10 characters', { exact: true }).waitFor()
  await password.fill('the first one')
  await dialog.getByRole('button', { name: 'Add the password' }).click()
  await dialog.getByText('The password needs a digit').waitFor()
  await password.fill('the first 1')
  await dialog.getByRole('button', { name: 'Add the password' }).click()
  await page.getByText('Password, user name forgetful').waitFor()
  assert.equal((await logIn('forgetful', 'the first 1')).status, 200)
  await page.getByRole('button', { name: 'Reset the password' }).click()
  await password.fill('the second 2')
  await dialog.getByRole('button', { name: 'Set the password' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await logIn('forgetful', 'the first 1')).status, 401)
  assert.equal((await logIn('forgetful', 'the second 2')).status, 200)
  await page.getByRole('button', { name: 'Delete the password of forgetful' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Add a password' }).waitFor()
  assert.equal((await logIn('forgetful', 'the second 2')).status, 401)
  assert.deepEqual(pageErrors, [])
})

test('a certificate is listed by fingerprint, its renewal requested, and revoked by name', needsBrowser, async () => {
  const id = await makeIdentity('sensor', { enrollment: { ott: true } })
  const [enrollment] = (await manage('GET', `/identities/${id}/enrollments`)).json.data
  const body = { token: enrollment.token, clientCsr: makeTestCsr().pem }
  const enrolled = await stage().controller.request('POST', `${CLIENT}/enroll/ott`, { body })
  assert.equal(enrolled.status, 200, enrolled.text)
  const authenticators = async () => (await manage('GET', `/identities/${id}/authenticators`)).json.data
  const [{ fingerprint }] = await authenticators()
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin(`identities/${id}`)
  await page.getByText(fingerprint).waitFor()
  await page.getByRole('button', { name: 'Request renewal' }).click()
  await page.getByText('Renewal requested').waitFor()
  assert.equal((await authenticators())[0].isExtendRequested, true)
  await page.getByRole('button', { name: 'Revoke the certificate of sensor' }).click()
  await page
    .getByRole('dialog', { name: /the certificate of sensor/ })
    .getByRole('button', { name: 'Revoke' })
    .click()
  await page.getByText('No password and no certificate.').waitFor()
  assert.deepEqual(await authenticators(), [])
})

test('the one-time codes of an identity are reset by name', needsBrowser, async () => {
  const id = await makeIdentity('lost phone')
  const credential = { username: 'lost-phone', password: 'a long password' }
  assert.equal((await manage('POST', '/authenticators', { method: 'updb', identityId: id, ...credential })).status, 201)
  const session = (await logIn(credential.username, credential.password)).json.data.token
  const own = (method: string, path: string, body?: unknown) =>
    stage().controller.request(method, `${CLIENT}/current-identity/mfa${path}`, { session, ...(body ? { body } : {}) })
  await own('POST', '')
  const { provisioningUrl } = (await own('GET', '')).json.data
  const code = totpCode(readProvisioningSecret(provisioningUrl), totpStep(Date.now()))
  assert.equal((await own('POST', '/verify', { code })).status, 200)
  assert.equal((await getIdentity(id)).isMfaEnabled, true)
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin(`identities/${id}`)
  await page.getByRole('button', { name: 'Reset the one-time codes of lost phone' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
  await page.getByText('Not set up').waitFor()
  assert.equal((await getIdentity(id)).isMfaEnabled, false)
})

test(
  'the end of access is set, shown and filtered by, and attributes name the signer that supplies them',
  needsBrowser,
  async () => {
    const externalId = 'contractor@example.com'
    const id = await makeIdentity('contractor', { roleAttributes: ['staff'], externalId })
    const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'hr' })
    const claims = { iss: 'https://hr.example', aud: 'console', sub: externalId, groups: ['sales'] }
    const created = await manage('POST', '/external-jwt-signers', {
      ...{ name: 'hr', enabled: true, issuer: claims.iss, audience: claims.aud, kid: 'hr', certPem: certificate.pem },
      ...{ useExternalId: true, attributeSync: 'login', enrollAttributeClaimsSelector: 'groups' },
    })
    assert.equal(created.status, 201, created.text)
    const key = mintKeyFrom(certificate.privateKey, 'P-256', 'hr')
    const token = mintToken({ key, claims: { ...claims, exp: Math.floor(Date.now() / 1000) + 600 } })
    const headers = { authorization: `Bearer ${token}` }
    const login = await stage().controller.request('POST', `${CLIENT}/authenticate?method=ext-jwt`, { headers })
    assert.equal(login.status, 200, login.text)
    const { page, pageErrors, go, goAsAdmin } = await stage().open()
    await goAsAdmin(`identities/${id}`)
    await page.getByText('sales (from hr)').waitFor()
    await go(`identities/${id}/edit`)
    await page.getByText('Signers also supply: sales').waitFor()
    await page.getByLabel('Access until').fill('2020-01-31T18:00')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Expired').waitFor()
    const { expiresAt, roleAttributes } = await getIdentity(id)
    assert.equal(new Date(expiresAt).getUTCFullYear(), 2020)
    assert.deepEqual(roleAttributes, ['sales', 'staff'])
    await go('identities')
    await page.getByRole('combobox', { name: 'Expiring' }).selectOption('expired')
    await page.getByRole('link', { name: 'contractor' }).waitFor()
    await page.getByRole('combobox', { name: 'Expiring' }).selectOption('ending')
    await page.getByText('Nothing matches the filters.').waitFor()
    assert.deepEqual(pageErrors, [])
  },
)
