import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { ExtJwtSignerWrite } from '@countersign/contract'
import { applySignerPreset, SIGNER_PRESETS } from '@countersign/contract/signer-presets'
import { thumbprintOf } from '@countersign/core'
import { makeTestCertificate, mintKey, mintToken } from '@countersign/testkit'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'
import { findFaultsInBoth } from './page-faults.ts'

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
    await field('jwksAuthorization').fill('Bearer of-the-endpoint')
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

test(
  'each attribute rule has a field, and a preview of the change is shown before it is saved',
  needsBrowser,
  async () => {
    const { page, pageErrors, goAsAdmin } = await stage().open()
    const source = { issuer: 'https://ruled.example', jwksEndpoint: 'https://ruled.example/keys' }
    const created = await manage('POST', SIGNERS, { name: 'ruled', enabled: true, audience: 'acme', ...source })
    const { id } = created.json.data
    await goAsAdmin(`signers/${id}/edit`)
    await page.getByRole('button', { name: 'Enrollment by token' }).click()
    const rules = page.locator('[data-path="attributeRules"]')
    for (const [at, rule] of ['[claims.department, "staff"]', '["a" claims.x]', ' '].entries()) {
      await rules.getByRole('button', { name: 'Add a rule' }).click()
      await rules.getByRole('textbox').nth(at).fill(rule)
    }
    await page.getByRole('button', { name: 'Save' }).click()
    await rules.getByText('line 1, column 6').waitFor()
    await rules.getByRole('textbox').nth(1).fill('["a", claims.x]')
    await page.getByRole('button', { name: 'Preview' }).click()
    const report = page.getByRole('status', { name: 'Preview' })
    await report.getByText('0 sessions would end').waitFor()
    const box = await report.boundingBox()
    assert.ok(box && box.y + box.height <= (page.viewportSize()?.height ?? 0), 'it is on the screen')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Edit' }).waitFor()
    const { attributeRules } = (await manage('GET', `${SIGNERS}/${id}`)).json.data
    assert.deepEqual(attributeRules, ['[claims.department, "staff"]', '["a", claims.x]'])
    assert.deepEqual(pageErrors, [])
  },
)

test('a pasted certificate is shown parsed before it is saved', needsBrowser, async () => {
  const { pem } = await makeTestCertificate({
    commonName: 'factory <b>gateway</b>',
    notAfter: new Date(Date.now() + 864e6),
  })
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('signers/new')
  await page.getByLabel('Key source').selectOption('certificate')
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

test(
  'D62 the form takes a public key, several certificates or pushes, and the page pins keys',
  needsBrowser,
  async () => {
    const { page, pageErrors, goAsAdmin } = await stage().open({ viewport: { width: 390, height: 844 } })
    await goAsAdmin('signers/new')
    const source = page.getByLabel('Key source')
    const field = (path: string) => page.locator(`[data-path="${path}"]`)
    await field('issuer').fill('https://offline.example')
    await field('name').fill('offline')
    await field('audience').fill('acme')
    await source.selectOption('keys')
    const { publicKey, privateKey } = mintKey('P-256', 'pasted')
    await field('jwks').fill(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
    await page.getByRole('button', { name: 'Add the signer' }).click()
    await page.getByText('This contains a private key').waitFor()
    const pasted = [publicKey, mintKey('RSA', 'second').publicKey, mintKey('Ed25519', 'third').publicKey]
    await field('jwks').fill(pasted.map((key) => key.export({ format: 'pem', type: 'spki' })).join(''))
    await page.waitForFunction(`document.querySelector('[data-path="jwks"]').value.includes('"keys"')`)
    const { keys: converted } = JSON.parse(await field('jwks').inputValue()) as { keys: { kid: string }[] }
    assert.deepEqual(
      converted.map(({ kid }) => kid),
      pasted.map(thumbprintOf),
    )
    assert.deepEqual(await findFaultsInBoth(page, 'a pasted public key'), [])
    await page.getByRole('button', { name: 'Add the signer' }).click()
    await page.getByRole('heading', { name: 'offline', exact: true }).waitFor()
    const keys = page.getByRole('region', { name: 'Keys' })
    const thumbprint = thumbprintOf(publicKey)
    await keys.getByRole('button', { name: `Pin the key ${thumbprint}` }).click()
    await keys.getByRole('button', { name: `Unpin the key ${thumbprint}` }).waitFor()
    await page.reload()
    await keys.getByRole('button', { name: `Unpin the key ${thumbprint}` }).waitFor()
    await page.getByRole('region', { name: 'Tokens' }).getByText(thumbprint).waitFor()
    assert.deepEqual(await findFaultsInBoth(page, 'a pinned key'), [])
    await keys.getByRole('button', { name: `Unpin the key ${thumbprint}` }).click()
    await keys.getByRole('button', { name: `Pin the key ${thumbprint}` }).waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await source.selectOption('certificates')
    await field('certPems').fill([makeTestCertificate().pem, makeTestCertificate().pem].join(''))
    await page.getByRole('button', { name: 'Save' }).click()
    await keys.getByRole('row').nth(2).waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await source.selectOption('pushed')
    await page.getByRole('button', { name: 'Save' }).click()
    await keys.getByText('no keys have been pushed yet').waitFor()
    await keys.getByText('Stale from').waitFor()
    await page.getByText('3600 s', { exact: true }).waitFor()
    assert.deepEqual(pageErrors, [])
  },
)

test(
  'D55 keys that wait are shown with their thumbprints, and used once they are confirmed',
  needsBrowser,
  async (t) => {
    let published = mintKey('P-256', 'earlier')
    const provider = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [published.jwk] }))
    })
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    t.after(() => provider.close())
    const jwksEndpoint = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks`
    const body = { name: 'continuous', enabled: true, issuer: 'https://continuous.example', audience: 'a' }
    const made = await manage('POST', SIGNERS, { ...body, jwksEndpoint, requireKeyContinuity: true })
    const { id } = made.json.data
    const refresh = async () => (await manage('POST', `${SIGNERS}/${id}/refresh-keys`)).json.data.keyStatus
    assert.equal((await refresh()).lastError, null)
    published = mintKey('P-256', 'later')
    assert.equal((await refresh()).pendingKeys.length, 1)
    const { page, pageErrors, goAsAdmin } = await stage().open({ viewport: { width: 390, height: 844 } })
    await goAsAdmin(`signers/${id}`)
    const keys = page.getByRole('region', { name: 'Keys' })
    await keys.getByRole('table', { name: 'Keys that wait' }).getByText(thumbprintOf(published.publicKey)).waitFor()
    assert.deepEqual(await findFaultsInBoth(page, 'keys that wait'), [])
    await keys.getByRole('button', { name: 'Confirm these keys' }).click()
    await keys.getByRole('table', { name: 'Keys', exact: true }).getByText(published.kid).waitFor()
    assert.equal(await keys.getByText('New keys wait for a confirmation').count(), 0)
    assert.deepEqual(pageErrors, [])
  },
)

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

const PROVIDER = 'Identity provider'
const pick = async (page: Page, label: string, option: string) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('a preset asks for what differs, fills in the rest, and its signer is saved', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('signers/new')
  await pick(page, PROVIDER, 'Microsoft Entra ID')
  const fill = page.getByRole('button', { name: 'Fill in the form' })
  await page.getByLabel('Tenant id').fill('common')
  await fill.click()
  await page.getByText('no token has the issuer of "common"').waitFor()
  await page.getByText('Client id is required').waitFor()
  const tenant = '23f45e36-2ae6-4434-b116-25c66c27168d'
  const client = '1d3584fe-b4eb-403f-b5a9-d1ed8b693b8f'
  await page.getByLabel('Tenant id').fill(tenant)
  await page.getByRole('textbox', { name: 'Client id' }).fill(client)
  await page.getByRole('textbox', { name: 'Client id' }).press('Enter')
  await page.getByText('requestedAccessTokenVersion').waitFor()
  // Without a network its discovery document cannot be read, and the signer can be saved all the same.
  await page.getByText('Not verified', { exact: true }).waitFor()
  assert.equal(await page.locator('[data-path="name"]').inputValue(), 'Microsoft Entra ID')
  assert.deepEqual(await findFaultsInBoth(page, 'a filled form'), [])
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.getByRole('heading', { name: 'Microsoft Entra ID' }).waitFor()
  const { data } = (await manage('GET', `${SIGNERS}/${page.url().split('/').at(-1)}`)).json
  const { issuer, audience, jwksEndpoint, claimsProperty, useExternalId, clientId, targetToken, scopes } = data
  assert.deepEqual(
    { issuer, audience, jwksEndpoint, claimsProperty, useExternalId, clientId, targetToken, scopes },
    {
      issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
      audience: client,
      jwksEndpoint: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
      claimsProperty: 'oid',
      useExternalId: true,
      clientId: client,
      targetToken: 'ID',
      scopes: ['openid', 'profile', 'email'],
    },
  )
  assert.equal(data.enrollAttributeClaimsSelector, 'groups')
  assert.deepEqual(pageErrors, [])
})

test('every preset fills in the form, and leaves nothing of the one before it', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('signers/new')
  const value = (path: string) => page.locator(`[data-path="${path}"]`).inputValue()
  await page.getByRole('button', { name: 'Browser login', exact: true }).click()
  for (const { name, label, questions } of SIGNER_PRESETS) {
    await pick(page, PROVIDER, label)
    const examples = Object.fromEntries(questions.map((question) => [question.name, question.example]))
    for (const { name: question, choices, example } of questions) {
      if (!choices) await page.locator(`[data-question="${question}"]`).fill(example)
    }
    await page.getByRole('button', { name: 'Fill in the form' }).click()
    const result = applySignerPreset(name, examples)
    assert.ok(result.ok)
    const { issuer, audience, jwksEndpoint, clientId = '' } = result.signer
    await page.getByText(`Also filled in for ${label}`).waitFor()
    assert.deepEqual(
      [await value('name'), await value('issuer'), await value('audience'), await value('jwksEndpoint')],
      [label, issuer, audience, jwksEndpoint],
    )
    assert.equal(await value('clientId'), clientId, label)
  }
  assert.deepEqual(pageErrors, [])
})

test('the discovery document verifies what a preset filled in, and corrects the keys', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin } = await stage().open()
  const issuer = stage().controller.ready.identityProviderUrl ?? ''
  const discovered = (await manage('POST', `${SIGNERS}/discover`, { issuer })).json.data
  await goAsAdmin('signers/new')
  const keys = page.locator('[data-path="jwksEndpoint"]')
  await pick(page, PROVIDER, 'GitLab CI/CD')
  await page.getByLabel('GitLab URL').fill(issuer)
  await page.locator('[data-question="audience"]').fill('jobs')
  await page.getByRole('button', { name: 'Fill in the form' }).click()
  await page.getByText(`with the JWKS endpoint ${discovered.jwksEndpoint}. The form has it now.`).waitFor()
  assert.equal(await keys.inputValue(), discovered.jwksEndpoint)

  await pick(page, PROVIDER, 'Kubernetes')
  await page.locator('[data-question="issuer"]').fill(issuer)
  await page.locator('[data-question="audience"]').fill('pods')
  await page.locator('[data-question="jwksEndpoint"]').fill('https://k8s.example/openid/v1/jwks')
  await page.getByRole('button', { name: 'Fill in the form' }).click()
  await page.getByText('The form keeps yours.').waitFor()
  assert.equal(await keys.inputValue(), 'https://k8s.example/openid/v1/jwks')
  await page.locator('[data-question="jwksEndpoint"]').fill(discovered.jwksEndpoint)
  await page.getByRole('button', { name: 'Fill in the form' }).click()
  await page.getByText('with the same JWKS endpoint.').waitFor()
  await page.locator('[data-path="name"]').fill('a cluster')
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.getByRole('heading', { name: 'a cluster' }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test('labels of the form and of the page have the names of the API in tooltips', needsBrowser, async () => {
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin('signers/new')
  for (const section of [...SECTIONS, 'Security events']) {
    await page.getByRole('button', { name: section, exact: true }).click()
  }
  await page.getByText('Receive security events').click()
  await page.locator('[data-path="sharedSignals.audience"]').waitFor()
  const named = await page.locator('[data-api-name]').evaluateAll((labels) => labels.map((one) => one.dataset.apiName))
  const otherSources = ['certPem', 'kid', 'jwks', 'certPems', 'pushedKeys']
  const members = Object.keys(ExtJwtSignerWrite.properties).filter((name) => !otherSources.includes(name))
  assert.deepEqual(
    members.filter((name) => !named.includes(name)),
    [],
  )
  await page.locator('[data-api-name="claimsProperty"]').hover()
  await page.getByRole('tooltip').getByText('claimsProperty: The claim that identifies the identity').waitFor()

  const { id, createdAt } = (await manage('GET', `${SIGNERS}?filter=name%20%3D%20"local-provider"`)).json.data[0]
  const { page: shown, goAsAdmin: show } = await stage().open()
  await show(`signers/${id}`)
  await shown.getByRole('region', { name: 'Tokens' }).getByText(id).waitFor()
  await shown.locator(`time[datetime="${createdAt}"]`).first().waitFor()
  await shown.locator('dt [data-api-name="updatedAt"]').hover()
  await shown.getByRole('tooltip').getByText('updatedAt').waitFor()
})

test('a signer that a policy refers to cannot be deleted, and the button says why', needsBrowser, async () => {
  const body = { name: 'referred to', enabled: true, issuer: 'https://referred.example', audience: 'a' }
  const made = await manage('POST', SIGNERS, { ...body, jwksEndpoint: 'https://referred.example/keys' })
  const { id } = made.json.data
  const policy = (await manage('GET', '/edge/management/v1/auth-policies/default')).json.data
  const primary = { ...policy.primary, extJwt: { allowed: true, allowedSigners: [id] } }
  const policies = '/edge/management/v1/auth-policies'
  const created = await manage('POST', policies, { ...policy, name: 'the only one', primary })
  const { page, pageErrors, goAsAdmin, settle, reach } = await stage().open()
  await goAsAdmin(`signers/${id}`)
  await settle()
  const button = page.getByRole('button', { name: 'Delete referred to' })
  await page.getByRole('region', { name: 'Referring policies' }).getByText('the only one').waitFor()
  assert.equal(await button.getAttribute('aria-disabled'), 'true')
  await reach('[aria-label="Delete referred to"]')
  await page.getByRole('tooltip').getByText('remove it from “the only one” first').waitFor()
  assert.deepEqual(await findFaultsInBoth(page, 'a signer that cannot be deleted'), [])
  await button.click({ force: true })
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal((await manage('DELETE', `${SIGNERS}/${id}`)).status, 409)

  await manage('DELETE', `${policies}/${created.json.data.id}`)
  await page.reload()
  await settle()
  await button.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The signer “referred to” is deleted.').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a token is tested for a chosen signer, and shown decoded', needsBrowser, async () => {
  const body = { name: 'chosen', enabled: true, issuer: 'https://chosen.example', audience: 'a' }
  const made = await manage('POST', SIGNERS, { ...body, jwksEndpoint: 'https://chosen.example/keys' })
  const token = mintToken({
    key: mintKey('P-256', 'the key'),
    claims: { iss: 'https://elsewhere.example', aud: 'a', sub: 'Zoë', groups: ['<b>x</b>'], exp: 1_800_000_000 },
  })
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin(`signers/${made.json.data.id}`)
  await page.getByRole('link', { name: 'Test a token' }).last().click()
  await page.getByRole('heading', { name: 'Test a token' }).waitFor()
  await page.getByRole('textbox', { name: 'Token' }).fill(token)
  assert.equal(await page.getByRole('combobox', { name: 'Signer' }).inputValue(), 'chosen')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('the signer "chosen" expects "https://chosen.example"').waitFor()
  await page.getByRole('region', { name: 'Checks by “chosen”, step by step' }).waitFor()
  const header = page.getByRole('table', { name: 'Header' })
  await header.getByRole('row', { name: 'kid P-256-the key' }).waitFor()
  const claims = page.getByRole('table', { name: 'Claims' })
  await claims.getByRole('row', { name: 'sub Zoë' }).waitFor()
  await claims.getByText('<b>x</b>').waitFor()
  await claims.locator('time[datetime="2027-01-15T08:00:00.000Z"]').waitFor()
  assert.deepEqual(await findFaultsInBoth(page, 'a decoded token'), [])

  await page.getByRole('combobox', { name: 'Signer' }).fill('')
  await page.getByRole('textbox', { name: 'Token' }).fill('opaque')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await claims.waitFor({ state: 'detached' })
  assert.deepEqual(pageErrors, [])
})
