import assert from 'node:assert/strict'
import { test } from 'node:test'
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

async function personToken(person: string): Promise<string> {
  const response = await fetch(`${stage().controller.ready.identityProviderUrl}/dev/token`, {
    method: 'POST',
    body: new URLSearchParams({ person }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

const logInWithToken = (token: string) =>
  stage().controller.request('POST', `${CLIENT}/authenticate?method=ext-jwt`, {
    headers: { authorization: `Bearer ${token}` },
  })

test(
  'decisions say who was refused, are searched and filtered by it, and lead to an identity that is admitted',
  needsBrowser,
  async () => {
    const token = await personToken('dave')
    const refused = await logInWithToken(token)
    assert.equal(refused.status, 401)
    const { requestId } = refused.json.error
    const { claimedIdentity: claim, signerName } = (await manage('GET', `/auth-decisions/${requestId}`)).json.data
    const { page, pageErrors, settle, go, goAsAdmin } = await stage().open()
    await goAsAdmin('events')
    const event = page.locator('.mantine-Accordion-item').filter({ hasText: `refused for ${claim}: unknown-identity` })
    await event.first().waitFor()
    await event.first().getByRole('link', { name: 'Decision' }).click()
    await page.getByRole('heading', { name: `Request ${requestId}` }).waitFor()
    await page.getByRole('region', { name: 'Refused' }).getByText(claim).waitFor()
    await go('decisions')
    const row = page.getByRole('row').filter({ hasText: requestId })
    await row.getByText(claim).waitFor()
    await row.getByRole('link', { name: signerName }).waitFor()
    await row.getByText('token', { exact: true }).waitFor()
    const search = page.getByLabel('Search identity, signer, reason or address')
    await search.fill('no such person')
    await page.getByText('Nothing matches “no such person”.').waitFor()
    await search.fill(claim.toUpperCase())
    await row.waitFor()
    await search.fill('')
    await page.getByRole('combobox', { name: 'Method' }).selectOption('password')
    await row.waitFor({ state: 'detached' })
    assert.match(page.url(), /method=password/)
    await page.getByRole('combobox', { name: 'Method' }).selectOption('token')
    await page.getByRole('combobox', { name: 'Signer' }).selectOption(signerName)
    await row.waitFor()
    await page.reload()
    await row.waitFor()
    await settle()
    await row.getByRole('link', { name: 'Create an identity for this claim' }).click()
    await page.getByRole('heading', { name: 'Add an identity' }).waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(), claim)
    assert.equal(await page.getByRole('textbox', { name: 'External id' }).inputValue(), claim)
    assert.equal(await page.getByRole('switch', { name: /one-time token/ }).isChecked(), false)
    await page.getByRole('button', { name: 'Add the identity' }).click()
    await page.getByRole('heading', { name: claim }).waitFor()
    assert.equal((await logInWithToken(token)).status, 200)
    assert.deepEqual(pageErrors, [])
  },
)
