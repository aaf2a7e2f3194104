import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { needsBrowser } from '../browser/launch-browser.ts'
import { type ConsoleStage, useConsole } from './console-stage.ts'

const stage = useConsole()

const manage: ConsoleStage['manage'] = (...call) => stage().manage(...call)

test('unsaved edits are lost only after a question, on every way out of the page', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin, settle } = await stage().open()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await goAsAdmin('identities/new')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Identities' }).waitFor()

  await page.getByRole('link', { name: 'Add an identity' }).click()
  await name.fill('not saved')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'detached' })
  assert.equal(await name.inputValue(), 'not saved')
  await page.getByRole('navigation').getByRole('link', { name: 'Signers' }).click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { level: 1, name: 'Signers' }).waitFor()

  await page.getByRole('link', { name: 'Add a signer' }).click()
  await page.getByRole('heading', { level: 1, name: 'Add a signer' }).waitFor()
  await name.fill('not saved')
  await page.evaluate('history.back()')
  await question.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { level: 1, name: 'Signers' }).waitFor()
  await settle()
  assert.deepEqual(pageErrors, [])

  // Closing the tab: the browser asks by itself.
  await page.getByRole('link', { name: 'Add a signer' }).click()
  await page.getByRole('heading', { level: 1, name: 'Add a signer' }).waitFor()
  await name.fill('not saved')
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  assert.equal((await asked).type(), 'beforeunload')
})

test('a tab without edits closes without a question', needsBrowser, async () => {
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin('signers/new')
  const closed = page.waitForEvent('close')
  await page.close({ runBeforeUnload: true })
  await closed
})

test('every form leads to the page of what it has created, without a question', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin, go } = await stage().open()
  await goAsAdmin('')
  const name = randomUUID()
  const fill = (label: string, value: string) => page.getByRole('textbox', { name: label, exact: true }).fill(value)
  const forms: readonly [path: string, submit: string, fillIn: () => Promise<void>][] = [
    ['identities', 'Add the identity', async () => undefined],
    ['policies', 'Add the policy', async () => undefined],
    ['organization/networks', 'Add the network', () => fill('Controller URL', 'https://controller.example')],
    [
      'organization/providers',
      'Add the provider',
      () => fill('Issuer', stage().controller.ready.identityProviderUrl ?? ''),
    ],
  ]
  for (const [path, submit, fillIn] of forms) {
    await go(`${path}/new`)
    await fill('Name', name)
    await fillIn()
    await page.getByRole('button', { name: submit }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    assert.match(new URL(page.url()).pathname, new RegExp(`^/console/${path}/[^/]+$`))
  }
  assert.deepEqual(pageErrors, [])
})

test('refusals are in words that people use', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin, go } = await stage().open()
  const signer = { name: `Contoso ${randomUUID()}`, issuer: `https://${randomUUID()}.example`, audience: 'overlay' }
  await manage('POST', '/ext-jwt-signers', {
    ...signer,
    enabled: true,
    jwksEndpoint: `${signer.issuer}/jwks`,
    externalAuthUrl: signer.issuer,
  })
  const fill = (label: string, value: string) => page.getByRole('textbox', { name: label, exact: true }).fill(value)
  await goAsAdmin('signers/new')
  await fill('Name', 'another name')
  await fill('Issuer', signer.issuer)
  await fill('Audience', signer.audience)
  await fill('JWKS endpoint', `${signer.issuer}/jwks`)
  await page.getByRole('button', { name: 'Add the signer' }).click()
  await page.getByText(`Another signer, “${signer.name}”, already has this issuer and audience`).waitFor()

  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { level: 1, name: 'Signers' }).waitFor()
  await go('identities/new')
  await fill('Name', 'alice')
  await page.getByRole('button', { name: 'Add the identity' }).click()
  await page.getByText('Another identity already has this name').waitFor()
  await fill('Name', randomUUID())
  await fill('External id', 'alice@example.com')
  await page.getByRole('button', { name: 'Add the identity' }).click()
  await page.getByText('Another identity, “alice”, already has this external id').waitFor()
  await fill('External id', '')
  await page.getByRole('button', { name: 'Add the identity' }).click()
  await page.getByRole('button', { name: 'Add a password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'User name' }).fill('admin')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('a long enough password')
  await dialog.getByRole('button', { name: 'Add the password' }).click()
  await page.getByText(/^Another identity, “.*”, already has this user name$/).waitFor()
  assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /unique index|store|<nil>|entity type/)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(pageErrors, [])
})
