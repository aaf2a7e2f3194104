import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { needsBrowser } from '../browser/launch-browser.ts'
import { type ConsoleStage, useConsole } from './console-stage.ts'

const MANAGEMENT = '/edge/management/v1'
const PHONE = { viewport: { width: 390, height: 844 } }
const stage = useConsole()

const manage: ConsoleStage['manage'] = (...call) => stage().manage(...call)

/** Whether the whole element is within the width of the phone. */
async function fits(part: Locator): Promise<boolean> {
  const box = await part.boundingBox()
  return box !== null && box.x >= 0 && box.x + box.width <= PHONE.viewport.width
}

test('on a phone each session is a card with all its columns', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin, settle } = await stage().open(PHONE)
  await goAsAdmin('sessions')
  await settle()
  const card = page.locator('tbody tr').first()
  for (const label of ['Address', 'Created', 'Last activity', 'State']) {
    const cell = card.locator(`td[data-label="${label}"]`)
    assert.ok((await cell.isVisible()) && (await fits(cell)), label)
    assert.notEqual((await cell.textContent())?.trim(), '', label)
  }
  assert.ok(await fits(card.getByRole('button', { name: /^End/ })))
  await page.getByRole('combobox', { name: 'Sort by' }).click()
  await page.getByRole('option', { name: 'Address ↑' }).click()
  await page.waitForURL(/sort=ipAddress/)
  assert.deepEqual(pageErrors, [])
})

test('on a phone each check of a token is a card', needsBrowser, async () => {
  const [header = '', payload = ''] = (await personToken()).split('.')
  const forged = `${header}.${payload}.${'A'.repeat(342)}`
  const refused = await stage().controller.request('POST', '/edge/client/v1/authenticate?method=ext-jwt', {
    headers: { authorization: `Bearer ${forged}` },
  })
  const { page, pageErrors, goAsAdmin, settle } = await stage().open(PHONE)
  await goAsAdmin(`decisions/${refused.json.error.requestId}`)
  await settle()
  const table = page.getByLabel(/^Checks by the signer/).first()
  await table.waitFor()
  const cards = table.locator('tbody tr')
  assert.ok((await cards.count()) > 2)
  for (const label of ['Result', 'Expected', 'Received']) {
    assert.ok(await fits(cards.first().locator(`td[data-label="${label}"]`)), label)
  }
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.viewport.width)
  assert.deepEqual(pageErrors, [])
})

async function personToken(): Promise<string> {
  const response = await fetch(`${stage().controller.ready.identityProviderUrl}/dev/token`, {
    method: 'POST',
    body: new URLSearchParams({ person: 'alice' }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

test('every link of the menu has an icon', needsBrowser, async () => {
  const { page, goAsAdmin } = await stage().open()
  await goAsAdmin('')
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  const count = await links.count()
  assert.ok(count > 10)
  assert.equal(await links.locator('svg[aria-hidden="true"]').count(), count)
  const strokes = await links.locator('svg path').evaluateAll((paths) => paths.map((path) => path.getAttribute('d')))
  assert.equal(new Set(strokes).size, count, 'each has its own')
})

// Last: it empties the installation.
test('an empty installation shows the first steps, with progress', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin, follow, settle } = await stage().open()
  await goAsAdmin('')
  await page.getByText('Sessions', { exact: true }).first().waitFor()
  await settle()
  assert.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0, 'not in one that is in use')

  const policies = await manage('GET', '/auth-policies?limit=100')
  for (const { id } of policies.filter(({ id }: { id: string }) => id !== 'default'))
    await stage().controller.request('DELETE', `${MANAGEMENT}/auth-policies/${id}`, { session: stage().session })
  for (const { id } of await manage('GET', '/ext-jwt-signers?limit=100'))
    await manage('DELETE', `/ext-jwt-signers/${id}`)
  for (const { id, isDefaultAdmin } of await manage('GET', '/identities?limit=100')) {
    if (!isDefaultAdmin) await manage('DELETE', `/identities/${id}`)
  }
  await goAsAdmin('')
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText('0 of 3 done').waitFor()
  await steps.getByRole('link', { name: 'Add a provider' }).click()
  await page.getByRole('heading', { level: 1, name: 'Add a signer' }).waitFor()
  await manage('POST', '/ext-jwt-signers', {
    name: 'first',
    enabled: true,
    issuer: 'https://first.example',
    audience: 'overlay',
    jwksEndpoint: 'https://first.example/keys',
  })
  await follow('')
  await steps.getByText('1 of 3 done').waitFor()
  await steps.getByRole('link', { name: 'Test a token' }).click()
  await page.getByRole('textbox', { name: 'Token' }).fill('eyJhbGciOiJSUzI1NiJ9.e30.AAAA')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('Refused', { exact: true }).first().waitFor()
  await follow('')
  await steps.getByText('2 of 3 done').waitFor()
  await steps.getByRole('link', { name: 'Invite a person' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('the first person')
  await page.getByRole('button', { name: 'Add the identity' }).click()
  await page.getByRole('heading', { level: 1, name: 'the first person' }).waitFor()
  await follow('')
  await steps.getByText('3 of 3 done').waitFor()
  await steps.getByRole('button', { name: 'Hide' }).click()
  await steps.waitFor({ state: 'detached' })
  assert.deepEqual(pageErrors, [])
})
