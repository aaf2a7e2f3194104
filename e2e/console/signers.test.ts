import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExtJwtSignerWrite } from '@countersign/contract'
import { makeTestCertificate } from '@countersign/testkit'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'

const SIGNERS = '/edge/management/v1/ext-jwt-signers'
const stage = useConsole()

const manage = (method: string, path: string, body?: unknown) =>
  stage().controller.request(method, path, { session: stage().session, ...(body !== undefined && { body }) })

const SECTIONS = [
  'Identity claim',
  'Token checks',
  'Browser login',
  'Enrollment by token',
  'SCIM',
  'Key fetching',
  'Tags',
]

test(
  'the form has every member of a signer that the server accepts, and saves it as entered',
  needsBrowser,
  async () => {
    const ca = await makeTestCertificate({ commonName: 'a CA' })
    const { page, pageErrors, goAsAdmin } = await stage().open()
    await goAsAdmin('signers/new')
    const field = (path: string) => page.locator(`[data-path="${path}"]`)
    await field('issuer').fill('https://whole.example')
    await field('name').fill('whole')
    await field('audience').fill('acme')
    await field('jwksEndpoint').fill('https://whole.example/keys')
    for (const section of SECTIONS) await page.getByRole('button', { name: section, exact: true }).click()
    await field('claimsProperty').fill('/realm/user')
    await field('additionalAudiences').fill('api://one')
    await field('additionalAudiences').press('Enter')
    await field('additionalAudiences').fill('api://two')
    await page.getByRole('button', { name: 'Require a claim' }).click()
    await field('requiredClaims.0.selector').fill('tenant')
    await field('requiredClaims.0.values').fill('acme')
    await field('requiredClaims.0.values').press('Enter')
    await field('requiredClaims.0.values').fill('acme-test')
    await page.getByRole('button', { name: 'Require a claim' }).click()
    await field('requiredClaims.1.selector').fill('given up')
    await page.getByRole('button', { name: 'Remove required claim given up' }).click()
    await field('clockSkewSeconds').fill('20')
    await field('maxTokenAgeSeconds').fill('3600')
    await field('openIdConfigurationUrl').fill('https://whole.example/.well-known/openid-configuration')
    await field('clientId').fill('console')
    await field('scopes').fill('openid email ')
    await field('externalAuthUrl').fill('https://whole.example/login')
    await page.getByRole('combobox', { name: 'Target token' }).click()
    await page.getByRole('option', { name: 'ID token' }).click()
    await field('enrollNameClaimsSelector').fill('name')
    await field('enrollAttributeClaimsSelector').fill('groups')
    await page.getByRole('combobox', { name: 'Authentication policy of enrolled identities' }).click()
    await page.getByRole('option', { name: 'Default' }).click()
    await page.getByRole('combobox', { name: 'External id of a user' }).click()
    await page.getByRole('option', { name: 'Primary e-mail address' }).click()
    await field('scimGroupAttributeTemplate').fill('group {displayName}')
    await field('jwksCaPem').fill(ca.pem)
    await page.getByRole('button', { name: 'Add to tags' }).click()
    await page.getByLabel('Tags, name 1').fill('team')
    await page.getByLabel('Tags, value 1').fill('platform')
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(SIGNERS))
    await page.getByRole('button', { name: 'Add the signer' }).click()
    const body = (await sent).postDataJSON()
    const missing = Object.keys(ExtJwtSignerWrite.properties).filter((member) => !(member in body))
    assert.deepEqual(missing, [], 'members that are not in the form')
    await page.getByRole('heading', { name: 'whole' }).waitFor()
    await page.getByText('tenant: acme or acme-test').waitFor()
    const id = page.url().split('/').at(-1)
    const saved = (await manage('GET', `${SIGNERS}/${id}`)).json.data
    const { claimsProperty, requiredClaims, clockSkewSeconds, maxTokenAgeSeconds, scopes, targetToken } = saved
    assert.deepEqual(
      { claimsProperty, requiredClaims, clockSkewSeconds, maxTokenAgeSeconds, scopes, targetToken },
      {
        claimsProperty: '/realm/user',
        requiredClaims: { tenant: ['acme', 'acme-test'] },
        clockSkewSeconds: 20,
        maxTokenAgeSeconds: 3600,
        scopes: ['openid', 'email'],
        targetToken: 'ID',
      },
    )
    assert.deepEqual(saved.tags, { team: 'platform' })
    assert.deepEqual(saved.additionalAudiences, ['api://one', 'api://two'])
    assert.deepEqual([saved.scimIdentityAttribute, saved.scimGroupAttributeTemplate], ['email', 'group {displayName}'])
    await page.getByText('api://one, api://two').waitFor()
    const shown = (await page.getByRole('main').textContent()) ?? ''
    const whatIsTrusted = [
      saved.issuer,
      saved.jwksEndpoint,
      ca.pem.trim(),
      saved.openIdConfigurationUrl,
      saved.externalAuthUrl,
    ]
    for (const text of whatIsTrusted) assert.ok(shown.includes(text), text)
    assert.deepEqual(
      [saved.jwksCaPem, saved.enrollAuthPolicyId, saved.enrollNameClaimsSelector, saved.enrollAttributeClaimsSelector],
      [ca.pem, 'default', 'name', 'groups'],
    )
    await page.getByRole('link', { name: 'Edit' }).click()
    await field('audience').fill('acme two')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('acme two').waitFor()
    const edited = (await manage('GET', `${SIGNERS}/${id}`)).json.data
    const { updatedAt: _, audience, keyStatus: __, trust: ___, ...rest } = edited
    const { updatedAt: ____, audience: _____, keyStatus: ______, trust: _______, ...before } = saved
    assert.deepEqual([audience, rest], ['acme two', before])
    assert.deepEqual(pageErrors, [])
  },
)

test('an error of the server is shown at its field, also in a collapsed section', needsBrowser, async () => {
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin('signers/new')
  const field = (path: string) => page.locator(`[data-path="${path}"]`)
  await field('issuer').fill('https://refused.example')
  await field('name').fill('refused')
  await field('audience').fill('acme')
  await field('jwksEndpoint').fill('https://refused.example/keys')
  await page.getByRole('button', { name: 'Key fetching' }).click()
  await field('jwksCaPem').fill('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')
  await page.getByRole('button', { name: 'Key fetching' }).click()
  await field('jwksCaPem').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.locator('[data-path="jwksCaPem"][aria-invalid="true"]').waitFor()
  await page.locator('[data-path="jwksCaPem"]:focus').waitFor()
  await field('jwksCaPem').fill('')
  await page.getByRole('button', { name: 'Identity claim' }).click()
  await field('claimsProperty').fill('~nothing')
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.locator('[data-path="claimsProperty"][aria-invalid="true"]').waitFor()
  await field('claimsProperty').fill('email')
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.getByRole('heading', { name: 'refused' }).waitFor()
})

test('a pasted certificate is shown parsed before it is saved', needsBrowser, async () => {
  const { pem } = await makeTestCertificate({
    commonName: 'factory <b>gateway</b>',
    notAfter: new Date(Date.now() + 864e6),
  })
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('signers/new')
  await page.getByText('Certificate', { exact: true }).click()
  const field = page.getByRole('textbox', { name: 'Certificate' })
  await field.fill('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')
  await page.locator('[data-path="certPem"][aria-invalid="true"]').waitFor()
  await field.fill(pem)
  await page.getByText('factory <b>gateway</b>').waitFor()
  await page.getByText('the certificate expires on').waitFor()
  await page.getByRole('textbox', { name: 'Issuer' }).fill('urn:factory')
  await page.getByRole('textbox', { name: 'Name' }).fill('factory')
  await page.getByRole('textbox', { name: 'Audience' }).fill('acme')
  await field.fill(`${pem}\n-----BEGIN PRIVATE KEY-----`)
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.getByText('This contains a private key').waitFor()
  await field.fill(pem)
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.getByRole('heading', { name: 'factory', exact: true }).waitFor()
  await page.getByText('Certificate expiring').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('an administrator makes and deletes SCIM tokens, and sees each once', needsBrowser, async () => {
  const body = { name: 'by SCIM', enabled: true, issuer: 'https://scim.example', audience: 'a' }
  const made = await manage('POST', SIGNERS, { ...body, jwksEndpoint: 'https://scim.example/keys' })
  const { id } = made.json.data
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin(`signers/${id}`)
  const section = page.getByRole('region', { name: 'SCIM' })
  await section.getByText(`/scim/v2/${id}`).waitFor()
  await section.getByText('There is no token: SCIM is off.').waitFor()
  await section.getByRole('button', { name: 'Make a SCIM token' }).click()
  const token = section.getByText(/^scim_[\w-]{43}$/)
  await token.waitFor()
  const headers = { authorization: `Bearer ${await token.textContent()}` }
  const users = () => stage().controller.request('GET', `/scim/v2/${id}/Users`, { headers })
  assert.equal((await users()).status, 200)
  await page.reload()
  await section.getByRole('row', { name: 'admin' }).waitFor()
  assert.equal(await token.count(), 0)
  await section.getByRole('button', { name: 'Delete the SCIM token' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await section.getByText('There is no token: SCIM is off.').waitFor()
  assert.equal((await users()).status, 401)
  assert.deepEqual(pageErrors, [])
})

test('the server searches, sorts and pages the list', needsBrowser, async () => {
  for (let number = 10; number < 55; number++) {
    const jwksEndpoint = `https://many${number}.example/keys`
    const body = { name: `many ${number}`, enabled: false, issuer: `https://many${number}.example`, audience: 'many' }
    assert.equal((await manage('POST', SIGNERS, { ...body, jwksEndpoint })).status, 201)
  }
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin('signers?q=many')
  await page.getByText('1 to 20 of 45').waitFor()
  assert.equal(await page.locator('tbody tr').count(), 20)
  await page.getByRole('button', { name: 'page 3', exact: true }).click()
  await page.getByText('41 to 45 of 45').waitFor()
  await page.getByRole('link', { name: 'many 54' }).waitFor()
  const sorted = page.waitForRequest((request) => request.url().includes('sort=name+desc'))
  await page.getByRole('button', { name: /^Name/ }).click()
  const query = new URL((await sorted).url()).searchParams
  assert.deepEqual([query.get('limit'), query.get('offset')], ['20', '0'])
  await page.getByText('1 to 20 of 45').waitFor()
  await page.locator('tbody tr').first().getByRole('link', { name: 'many 54' }).waitFor()
  await page.getByLabel('Search name, issuer or audience').fill('many3')
  await page.getByText('10 in total').waitFor()
  await page.getByLabel('Search name, issuer or audience').fill('"nothing\\')
  await page.getByText('Nothing matches').waitFor()
})

test('a signer is created from the address of its issuer by keyboard alone', needsBrowser, async () => {
  const { page, goAsAdmin, reach } = await stage().open()
  await goAsAdmin('signers/new')
  const { keyboard } = page
  await page.getByRole('textbox', { name: 'Issuer' }).waitFor()
  await reach('[data-path="issuer"]')
  await keyboard.type(stage().controller.ready.identityProviderUrl ?? '')
  await keyboard.press('Enter')
  await page.getByText('Found', { exact: true }).waitFor()
  await reach('[data-path="name"]')
  await keyboard.press('ControlOrMeta+A')
  await keyboard.type('typed')
  await reach('[data-path="audience"]')
  await keyboard.type('typed')
  await reach('.mantine-Accordion-control')
  await keyboard.press('Enter')
  await reach('[data-path="claimsProperty"]')
  await keyboard.type('email')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'typed' }).waitFor()
  await page.getByRole('cell', { name: 'RS256' }).first().waitFor()
})

/** A signer of a caller who is not an administrator, with members in forms that the edit page shows in another way. */
async function makeUntrustedSigner(name: string, members: object = {}) {
  const holder = { name: `writer of ${name}`, type: 'Default', isAdmin: false, permissions: ['external-jwt-signer'] }
  const identityId = (await manage('POST', '/edge/management/v1/identities', holder)).json.data.id
  const credentials = { username: `writer-of-${name}`, password: 'a-long-password' }
  const authenticator = { method: 'updb', identityId, ...credentials }
  assert.equal((await manage('POST', '/edge/management/v1/authenticators', authenticator)).status, 201)
  const { controller } = stage()
  const login = '/edge/management/v1/authenticate?method=password'
  const session = (await controller.request('POST', login, { body: credentials })).json.data.token
  const issuer = `https://${name}.example`
  const body = { name, enabled: true, issuer, audience: 'acme', jwksEndpoint: `${issuer}/keys`, ...members }
  const { id } = (await controller.request('POST', SIGNERS, { body, session })).json.data
  return {
    id,
    writer: holder.name,
    change: (changes: object) => controller.request('PATCH', `${SIGNERS}/${id}`, { body: changes, session }),
    load: async () => (await manage('GET', `${SIGNERS}/${id}`)).json.data,
  }
}

test('D55 an administrator trusts a signer on its page, as it was when the dialog opened', needsBrowser, async () => {
  const { id, writer, change, load } = await makeUntrustedSigner('untrusted')
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin(`signers/${id}`)
  await page.getByText('Untrusted', { exact: true }).waitFor()
  await page.getByText(writer, { exact: true }).waitFor()
  const openDialog = page.getByRole('button', { name: 'Trust untrusted' })
  const dialog = page.getByRole('dialog')
  await openDialog.click()
  assert.equal((await change({ externalAuthUrl: 'https://untrusted.example/after-the-review' })).status, 200)
  // The page polls.
  await page.getByText('https://untrusted.example/after-the-review').waitFor()
  await dialog.getByRole('button', { name: 'Trust' }).click()
  await dialog.getByText('Changed since you opened it').waitFor()
  assert.equal((await load()).trust.state, 'untrusted')

  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await openDialog.click()
  await dialog.getByRole('button', { name: 'Trust' }).click()
  await page.getByText('Trusted', { exact: true }).waitFor()
  assert.equal((await load()).trust.state, 'trusted')
  assert.deepEqual(pageErrors, [])
})

test(
  'D55 the edit page sends only what was changed: a new name or tag does not make a signer trusted',
  needsBrowser,
  async () => {
    const { id, load } = await makeUntrustedSigner('unread', {
      requiredClaims: { tenant: 'acme' },
      scopes: ['openid,email'],
      sharedSignals: { audience: 'signals', actions: { 'account-disabled': 'log', 'session-revoked': 'log' } },
      tags: { team: 'platform' },
    })
    const { trust, ...before } = await load()
    const { page, pageErrors, goAsAdmin } = await stage().open()
    const sent: [method: string, body: Record<string, unknown>][] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET' && request.url().endsWith(id))
        sent.push([request.method(), request.postDataJSON()])
    })
    const edit = async (act?: () => Promise<void>) => {
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByRole('heading', { name: /^Edit/ }).waitFor()
      await act?.()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('link', { name: 'Edit' }).waitFor()
    }
    await goAsAdmin(`signers/${id}`)
    await edit()
    assert.deepEqual(sent, [])
    await edit(() => page.locator('[data-path="name"]').fill('renamed'))
    assert.deepEqual(sent, [['PATCH', { name: 'renamed' }]])
    await page.getByText('Untrusted', { exact: true }).waitFor()
    await edit(async () => {
      await page.getByRole('button', { name: 'Tags', exact: true }).click()
      await page.getByRole('button', { name: 'Tags: remove team' }).click()
    })
    assert.equal(sent[1]?.[0], 'PUT', 'a PATCH cannot clear tags')
    await page.getByText('Untrusted', { exact: true }).waitFor()
    const after = await load()
    assert.deepEqual([after.trust, after.name, after.tags], [trust, 'renamed', {}])
    const { requiredClaims, scopes, sharedSignals } = before
    assert.deepEqual(
      { requiredClaims: after.requiredClaims, scopes: after.scopes, sharedSignals: after.sharedSignals },
      { requiredClaims, scopes, sharedSignals },
    )

    await edit(async () => {
      await page.getByRole('button', { name: 'Browser login', exact: true }).click()
      await page.locator('[data-path="clientId"]').fill('reviewed')
    })
    assert.deepEqual(sent[2], ['PATCH', { clientId: 'reviewed' }])
    await page.getByText('Trusted', { exact: true }).waitFor()
    assert.deepEqual(pageErrors, [])
  },
)
