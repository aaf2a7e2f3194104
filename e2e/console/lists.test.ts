import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
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
    const {
      claimedIdentity: claim,
      signerName,
      signerId,
    } = (await manage('GET', `/auth-decisions/${requestId}`)).json.data
    const { page, pageErrors, settle, go, goAsAdmin } = await stage().open()
    await goAsAdmin('events')
    const event = page.locator('.mantine-Accordion-item').filter({ hasText: `refused for ${claim}: unknown-identity` })
    await event.first().waitFor()
    await event.first().getByRole('link', { name: 'Decision' }).click()
    await page.getByRole('heading', { name: `Request ${requestId}` }).waitFor()
    await page.getByRole('region', { name: 'Refused' }).getByText(claim).waitFor()
    await page.getByRole('button', { name: 'Add as test case' }).click()
    await page.getByText('Every save of the signer checks it from now on.').waitFor()
    const { testCases } = (await manage('GET', `/ext-jwt-signers/${signerId}`)).json.data
    assert.deepEqual(
      testCases.map(({ claims }: { claims: { email: string } }) => claims.email),
      [claim],
    )
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

async function makeIdentity(name: string, members: object = {}): Promise<string> {
  const response = await manage('POST', '/identities', { name, type: 'Default', isAdmin: false, ...members })
  assert.equal(response.status, 201, response.text)
  return response.json.data.id
}

/** An identity with a password, and a function that logs it in. */
async function makePerson(name: string, members: object = {}) {
  const id = await makeIdentity(name, members)
  const credential = { username: name, password: `the password of ${name}` }
  const made = await manage('POST', '/authenticators', { method: 'updb', identityId: id, ...credential })
  assert.equal(made.status, 201, made.text)
  const logIn = async () => {
    const sdkInfo = { appId: 'list-tests', appVersion: '7' }
    const body = { ...credential, sdkInfo }
    const login = await stage().controller.request('POST', `${CLIENT}/authenticate?method=password`, { body })
    assert.equal(login.status, 200, login.text)
  }
  return { id, logIn }
}

test('sessions show what they can do, and are searched by identity and filtered', needsBrowser, async () => {
  const { primary } = (await manage('GET', '/auth-policies/default')).json.data
  const secondary = { requireTotp: true, requireExtJwtSigner: null }
  const policy = await manage('POST', '/auth-policies', { name: 'with codes', primary, secondary })
  const partial = await makePerson('session-partial', { authPolicyId: policy.json.data.id })
  const complete = await makePerson('session-complete')
  await partial.logIn()
  await complete.logIn()
  const { page, pageErrors, goAsAdmin } = await stage().open({ viewport: { width: 1440, height: 900 } })
  await goAsAdmin('sessions')
  await page.getByLabel('Search identity, address, client or id').fill('session-')
  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })
  await rowOf('session-partial').getByText('Must set up one-time codes').waitFor()
  const completeRow = rowOf('session-complete')
  for (const text of ['Signed in', 'password', 'list-tests 7', '127.0.0.1', 'just now', 'in 29 minutes']) {
    await completeRow.getByText(text, { exact: true }).first().waitFor()
  }
  await page.getByRole('combobox', { name: 'State' }).selectOption('Needs a further step')
  await completeRow.waitFor({ state: 'detached' })
  await rowOf('session-partial').waitFor()
  await page.getByRole('combobox', { name: 'Login method' }).selectOption('certificate')
  await page.getByText('Nothing matches “session-”.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('combobox', { name: 'Expires' }).selectOption('Later')
  await page.getByText('Nothing matches “session-”.').waitFor()
  await page.getByRole('combobox', { name: 'Expires' }).selectOption('Within an hour')
  await completeRow.waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await page.getByRole('button', { name: 'End…' }).click()
  await page.getByRole('dialog').getByText('The session from 127.0.0.1 ends').first().waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'End 2' }).click()
  await page.getByText('2 of 2 done.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
  await page.getByText('Nothing matches “session-”.').waitFor()
  assert.deepEqual(pageErrors, [])
})

test('identities are filtered on the server, and the filters are in the address', needsBrowser, async () => {
  const policy = (await manage('GET', '/auth-policies/default')).json.data
  const made = await manage('POST', '/auth-policies', { ...policy, name: 'for filters' })
  const authPolicyId: string = made.json.data.id
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString()
  await makeIdentity('filter-never', { authPolicyId })
  await makeIdentity('filter-soon', { authPolicyId, expiresAt: soon, attributes: ['filter-attribute'] })
  const off = await makeIdentity('filter-off', { authPolicyId })
  await manage('POST', `/identities/${off}/disable`, { durationMinutes: 0 })
  const person = await makePerson('filter-person', { authPolicyId })
  await person.logIn()
  const { page, pageErrors, go, goAsAdmin } = await stage().open({ viewport: { width: 1440, height: 900 } })
  await goAsAdmin('policies')
  const usedBy = page.getByRole('row').filter({ hasText: 'for filters' })
  await usedBy.getByRole('link', { name: '4 identities' }).click()
  await page.getByRole('heading', { name: 'Identities' }).waitFor()
  const shows = async (...names: readonly string[]) => {
    await page.getByText(`${names.length} in total`).waitFor()
    for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor()
  }
  await shows('filter-never', 'filter-off', 'filter-person', 'filter-soon')
  const choose = (label: string, option: string) => page.getByRole('combobox', { name: label }).selectOption(option)
  await choose('State', 'Disabled')
  await shows('filter-off')
  await choose('State', 'Enabled')
  await shows('filter-never', 'filter-person', 'filter-soon')
  await choose('Enrollment', 'Never enrolled')
  await shows('filter-never', 'filter-soon')
  await choose('Expiring', 'Access ends within 30 days')
  await shows('filter-soon')
  await page.reload()
  await shows('filter-soon')
  const { searchParams } = new URL(page.url())
  assert.deepEqual(
    ['policy', 'state', 'enrollment', 'expiry'].map((name) => searchParams.get(name)),
    [authPolicyId, 'enabled', 'never', 'ending'],
  )
  await go(`identities?policy=${authPolicyId}`)
  await choose('Last login', 'In the last 7 days')
  await shows('filter-person')
  const row = page.getByRole('row').filter({ hasText: 'filter-person' })
  const time = row.locator('time').first()
  assert.equal(await time.textContent(), 'just now')
  assert.match((await time.getAttribute('title')) ?? '', /\d{4}-\d\d-\d\dT.*Z/)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('combobox', { name: 'Attribute' }).fill('filter-attr')
  await page.getByRole('option', { name: 'filter-attribute' }).click()
  await shows('filter-soon')
  assert.deepEqual(pageErrors, [])
})

test('selected identities are disabled and deleted after a preview, with a result for each', needsBrowser, async () => {
  const people: Awaited<ReturnType<typeof makePerson>>[] = []
  // Not at once: on a busy machine three passwords take longer to hash than a request may.
  for (const name of ['bulk-a', 'bulk-b', 'bulk-c']) people.push(await makePerson(name))
  await people[0]?.logIn()
  await people[0]?.logIn()
  await manage('POST', `/identities/${people[1]?.id}/disable`, { durationMinutes: 0 })
  const { page, pageErrors, goAsAdmin } = await stage().open({ viewport: { width: 1440, height: 900 } })
  await goAsAdmin('identities?q=bulk-')
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await page.getByText('3 selected').waitFor()
  await page.getByRole('button', { name: 'Disable…' }).click()
  const dialog = page.getByRole('dialog')
  const step = (name: string) => dialog.getByRole('row').filter({ hasText: name })
  await step('bulk-a').getByText('Logins are refused. 2 sessions end.').waitFor()
  await step('bulk-b').getByText('Already disabled').waitFor()
  await step('bulk-c').getByText('No session ends.').waitFor()
  const stateOf = async (id = '') => (await manage('GET', `/identities/${id}`)).json.data?.disabled
  assert.equal(await stateOf(people[0]?.id), false, 'a preview changes nothing')
  // Changed after the preview: not touched.
  await manage('PATCH', `/identities/${people[2]?.id}`, { tags: { changed: true } })
  await dialog.getByRole('button', { name: 'Disable 2' }).click()
  await dialog.getByText('1 of 2 done, 1 failed.').waitFor()
  await step('bulk-c').getByText('Changed since the preview: not touched').waitFor()
  await step('bulk-a').getByText('Done').waitFor()
  assert.deepEqual([await stateOf(people[0]?.id), await stateOf(people[2]?.id)], [true, false])
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await page.getByText('3 selected').waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await step('bulk-a').getByText('Deleted for good, with its credential.').waitFor()
  await dialog.getByRole('button', { name: 'Delete 3' }).click()
  await dialog.getByText('3 of 3 done.').waitFor()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await page.getByText('Nothing matches “bulk-”.').waitFor()
  assert.equal((await manage('GET', `/identities/${people[0]?.id}`)).status, 404)
  assert.deepEqual(pageErrors, [])
})

test('the whole filtered list is exported, and its values run no formula', needsBrowser, async () => {
  for (let number = 0; number < 25; number += 1) await makeIdentity(`csv-${number}`)
  await makeIdentity('=csv-formula, "quoted"')
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('identities?q=csv-')
  await page.getByText('1 to 20 of 26').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  assert.match(download.suggestedFilename(), /^identities-\d{4}-\d\d-\d\d\.csv$/)
  const text = readFileSync(await download.path(), 'utf8')
  const [head = '', ...rows] = text.trimEnd().split('\r\n')
  assert.ok(head.startsWith('id,name,externalId,'), head)
  assert.equal(rows.length, 26)
  assert.ok(text.includes(`,"'=csv-formula, ""quoted""",`), text)
  assert.deepEqual(pageErrors, [])
})

test('the search of everything is focused by / and used by keyboard; ids are copied', needsBrowser, async () => {
  const id = await makeIdentity('everywhere-found')
  const { page, pageErrors, settle, goAsAdmin } = await stage().open({ viewport: { width: 1440, height: 900 } })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await goAsAdmin('signers')
  await settle()
  const search = page.getByRole('banner').getByLabel('Search everything')
  await page.keyboard.press('/')
  await page.keyboard.type('everywhere-')
  await page.getByRole('option', { name: 'everywhere-found' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'everywhere-found' }).waitFor()
  await page.keyboard.press('/')
  await search.fill(id)
  await page.getByRole('option', { name: 'everywhere-found' }).waitFor()
  await page.keyboard.press('Escape')
  await search.fill('local-prov')
  await page.getByRole('group', { name: 'Signers' }).getByRole('option', { name: 'local-provider' }).first().waitFor()
  await search.fill('no such thing')
  await page.getByText('Nothing found').waitFor()
  await goAsAdmin('identities?q=everywhere-')
  const field = page.getByLabel('Search name, external id or id')
  await field.fill('everywhere-found')
  await field.press('/')
  assert.equal(await field.inputValue(), 'everywhere-found/', 'typing in a field is not a shortcut')
  await field.fill('everywhere-')
  await page.getByRole('button', { name: 'Copy the id of everywhere-found' }).click()
  await page.getByRole('button', { name: 'The id of everywhere-found is copied' }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), id)
  assert.deepEqual(pageErrors, [])
})
