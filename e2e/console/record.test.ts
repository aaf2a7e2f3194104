import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'

const stage = useConsole()
const PHONE = { viewport: { width: 390, height: 844 } }

test(
  'an event sink is added, tested, found and deleted, and names the signers of its filter',
  needsBrowser,
  async () => {
    const { page, pageErrors, go, goAsAdmin, settle } = await stage().open()
    await goAsAdmin('sinks/new')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('local file')
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('local-file')
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: /file/i }).click()
    await page.getByRole('combobox', { name: 'Signers' }).click()
    await page.getByRole('option', { name: 'local-provider' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add the sink' }).click()
    await page.getByRole('heading', { level: 1, name: 'local-file' }).waitFor()
    await settle()
    const settings = page.getByRole('region', { name: 'Settings' })
    await settings.getByText('local-provider', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText(/^The test event was delivered/).waitFor()

    await page.keyboard.press('/')
    await page.keyboard.type('local-fi')
    await page.getByRole('option', { name: /local-file/ }).click()
    await page.getByRole('heading', { level: 1, name: 'local-file' }).waitFor()
    await page.getByRole('button', { name: 'Delete local-file' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Event sinks' }).waitFor()

    await go('history')
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'event sink' }).click()
    await page.waitForURL(/kind=event-sink/)
    await settle()
    const rows = page.locator('tbody tr')
    await rows.first().getByText('event sink', { exact: true }).waitFor()
    for (const text of await rows.allTextContents()) assert.match(text, /^eventSink\./)
    assert.deepEqual(pageErrors, [])
  },
)

test('on a phone each changed member of an entry is a card', needsBrowser, async () => {
  const { id } = (await stage().manage('GET', '/identities?filter=name%20%3D%20%22alice%22'))[0]
  await stage().manage('PATCH', `/identities/${id}`, { roleAttributes: ['on-the-phone'] })
  const filter = encodeURIComponent(`objectId = "${id}" and action = "identity.patch" sort by at desc limit 1`)
  const deadline = Date.now() + 30_000
  let entries: { id: string }[] = []
  while (entries.length === 0 && Date.now() < deadline)
    entries = await stage().manage('GET', `/audit-entries?filter=${filter}`)
  const { page, pageErrors, goAsAdmin, settle } = await stage().open(PHONE)
  await goAsAdmin(`history/${entries[0]?.id}`)
  await settle()
  const card = page
    .getByLabel('Changed members')
    .locator('tbody tr')
    .filter({ hasText: /^attributes/ })
  for (const label of ['Before', 'After']) {
    const box = await card.locator(`td[data-label="${label}"]`).boundingBox()
    assert.ok(box && box.x >= 0 && box.width > 250 && box.x + box.width <= PHONE.viewport.width, label)
  }
  await card.locator('td[data-label="After"]').getByText('on-the-phone').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a policy that an identity has cannot be deleted, and the button says why', needsBrowser, async () => {
  const { primary, secondary } = await stage().manage('GET', '/auth-policies/default')
  const policy = await stage().manage('POST', '/auth-policies', { name: 'kept', primary, secondary })
  const body = { name: 'its user', type: 'Default', isAdmin: false, authPolicyId: policy.id }
  const identity = await stage().manage('POST', '/identities', body)
  const { page, pageErrors, go, goAsAdmin } = await stage().open()
  await goAsAdmin(`policies/${policy.id}`)
  const remove = page.getByRole('button', { name: 'Delete kept' })
  await page.locator('[aria-disabled="true"]').and(remove).waitFor()
  await remove.getByText('It cannot be deleted while 1 identity uses it').waitFor({ state: 'attached' })
  await remove.click({ force: true })
  assert.equal(await page.getByRole('dialog').count(), 0)

  await stage().manage('DELETE', `/identities/${identity.id}`)
  await go(`policies/${policy.id}`)
  await remove.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Authentication policies' }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a preview says in words what sessions would need, and is gone when a save is refused', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin } = await stage().open(PHONE)
  await goAsAdmin('policies/default')
  const preview = page.getByRole('status', { name: 'Preview' })
  await page.getByRole('switch', { name: 'Require a one-time code (TOTP)' }).click({ force: true })
  await page.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText('admin: Must set up one-time codes').waitFor()
  await page.getByRole('textbox', { name: 'Accept rule' }).fill('claims.level >')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/^acceptRule has a mistake at line 1/).waitFor()
  assert.equal(await preview.count(), 0)
  assert.deepEqual(pageErrors, [])
})
