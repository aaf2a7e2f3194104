import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { totpCode, totpStep } from '@countersign/core'
import { readProvisioningSecret } from '@countersign/testkit'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch-browser.ts'
import { type ConsoleStage, useConsole, type Visit } from './console-stage.ts'

const PASSWORD = 'a password of theirs'
const stage = useConsole()

const manage: ConsoleStage['manage'] = (...call) => stage().manage(...call)

interface Person {
  readonly id: string
  readonly username: string
  readonly session: string
}

const logIn = async (username: string, password = PASSWORD): Promise<string> => {
  const reply = await stage().controller.request('POST', '/edge/client/v1/authenticate?method=password', {
    body: { username, password },
  })
  assert.equal(reply.status, 200, reply.text)
  return reply.json.data.token
}

async function makePerson(permissions: readonly string[] = [], members: object = {}): Promise<Person> {
  const username = `person-${randomUUID()}`
  const { id } = await manage('POST', '/identities', {
    name: username,
    type: 'User',
    isAdmin: false,
    permissions,
    ...members,
  })
  await manage('POST', '/authenticators', { method: 'updb', identityId: id, username, password: PASSWORD })
  return { id, username, session: await logIn(username) }
}

/** Opens the console in the session of a person, and collects refused requests. */
async function openAs({ session }: Person, path = ''): Promise<Visit & { readonly refusals: string[] }> {
  const visit = await stage().open()
  const refusals: string[] = []
  visit.page.on('response', (response) => {
    if ([401, 403].includes(response.status())) refusals.push(`${response.status()} ${response.url()}`)
  })
  await visit.goAs(session, path)
  await visit.settle()
  return { ...visit, refusals }
}

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()
const buttonsOf = async (page: Page) =>
  (await page.locator('#content').locator('button:visible, a[class*="Button"]').allTextContents()).filter(
    (text) => text !== '' && text !== 'Copy',
  )

test('a person without permissions lands on My account, and nothing is refused', needsBrowser, async () => {
  const { page, pageErrors, refusals, go } = await openAs(await makePerson())
  await page.getByRole('heading', { level: 1, name: 'My account' }).waitFor()
  assert.deepEqual(await menuOf(page), ['My account'])
  assert.equal(await page.getByRole('alert').count(), 0)
  for (const title of ['Password', 'One-time codes', 'Certificates', 'Sessions', 'Recent logins']) {
    await page.getByRole('heading', { level: 2, name: title }).waitFor()
  }
  await go('identities')
  await page.getByRole('heading', { level: 1, name: 'You may not see this' }).waitFor()
  await page.locator('#content').getByRole('link', { name: 'My account' }).click()
  await page.getByRole('heading', { level: 1, name: 'My account' }).waitFor()
  assert.deepEqual([refusals, pageErrors], [[], []])
})

test('menu, buttons and pages follow the permissions of the caller', needsBrowser, async () => {
  const [target] = await manage('GET', '/identities?filter=name%20%3D%20%22alice%22')
  const cases: readonly [permissions: readonly string[], menu: readonly string[], buttons: readonly string[]][] = [
    [['identity.read'], ['My account', 'Identities'], []],
    [
      ['identity.read', 'identity.update'],
      ['My account', 'Identities'],
      ['Edit', 'Disable'],
    ],
    [['identity'], ['My account', 'Identities'], ['Edit', 'Disable', 'Delete', 'Add a password']],
    [['identity.read', 'ops.read'], ['My account', 'Identities', 'API sessions'], []],
  ]
  for (const [permissions, menu, buttons] of cases) {
    const { page, pageErrors, refusals, follow, settle } = await openAs(await makePerson(permissions), 'identities')
    assert.deepEqual(await menuOf(page), menu, permissions.join())
    assert.equal(
      await page.getByRole('link', { name: 'Add an identity' }).count(),
      permissions.includes('identity') ? 1 : 0,
    )
    await follow(`identities/${target.id}`)
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor()
    await settle()
    assert.deepEqual(await buttonsOf(page), buttons, permissions.join())
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.deepEqual([refusals, pageErrors], [[], []])
  }
})

const CHANGES = /^(Add|Create|Edit|Delete|Save|End|Enable|Disable|Reset|Trust|Make|Refresh|Request|Renew)\b/

test('an administrator sees everything, and others cannot change an administrator', needsBrowser, async () => {
  const [admin] = await manage('GET', '/identities?filter=isAdmin%20%3D%20true')
  const reader = await openAs(await makePerson(['admin_readonly']))
  await reader.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  assert.deepEqual(await menuOf(reader.page), [
    ...['Overview', 'My account', 'Signers', 'CAs', 'Authentication policies', 'Identities', 'Invitations'],
    ...['API sessions', 'Decisions', 'Events', 'Change history'],
  ])
  for (const path of ['signers', 'policies/default', 'sessions', 'decisions', 'events', `identities/${admin.id}`]) {
    await reader.follow(path)
    await reader.settle()
    const buttons = (await buttonsOf(reader.page)).filter((text) => CHANGES.test(text))
    assert.deepEqual(buttons, [], path)
  }
  assert.deepEqual([reader.refusals, reader.pageErrors], [[], []])
  const helper = await openAs(await makePerson(['identity', 'enrollment', 'ops']), `identities/${admin.id}`)
  await helper.page.getByRole('table', { name: 'Sessions' }).waitFor()
  assert.deepEqual(
    (await buttonsOf(helper.page)).filter((text) => CHANGES.test(text)),
    [],
  )
  const { page, goAsAdmin, settle } = await stage().open()
  await goAsAdmin(`identities/${admin.id}`)
  await settle()
  assert.ok((await buttonsOf(page)).includes('Edit'))
  assert.ok((await menuOf(page)).includes('Organizations'))
})

test('a person changes their own password', needsBrowser, async () => {
  const person = await makePerson()
  const { page, pageErrors } = await openAs(person, 'account')
  const change = async (current: string, next: string, repeated = next) => {
    await page.getByRole('textbox', { name: 'Current password' }).fill(current)
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill(next)
    await page.getByRole('textbox', { name: 'Repeat the new password' }).fill(repeated)
    await page.getByRole('button', { name: 'Change the password' }).click()
  }
  await change(PASSWORD, 'another password of theirs', 'and a different one')
  await page.getByText('The two new passwords differ').waitFor()
  await change('not the password', 'another password of theirs')
  await page.getByText('The current password is wrong').waitFor()
  await change(PASSWORD, 'another password of theirs')
  await page.getByText('Your password is changed.').waitFor()
  await logIn(person.username, 'another password of theirs')
  assert.deepEqual(pageErrors, [])
})

test('a person sets up one-time codes, sees recovery codes, and removes the codes', needsBrowser, async () => {
  const { page, pageErrors } = await openAs(await makePerson(), 'account')
  await page.getByRole('button', { name: 'Set up one-time codes' }).click()
  const address = (await page.getByRole('link', { name: 'open the app on this device' }).getAttribute('href')) ?? ''
  const secret = readProvisioningSecret(address)
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  const step = totpStep(Date.now())
  await page.getByRole('textbox', { name: 'One-time code' }).fill(totpCode(secret, step))
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByText('One-time codes are set up.').waitFor()

  const enter = async (button: string, code: string, submit: string) => {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'One-time code' }).fill(code)
    await page.getByRole('dialog').getByRole('button', { name: submit, exact: true }).click()
  }
  const listed = () => page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  await enter('Show recovery codes', codes[0] ?? '', 'Show')
  await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
  assert.deepEqual(await listed(), codes.slice(1))
  await page.getByRole('button', { name: 'Close' }).click()
  await enter('New recovery codes', codes[1] ?? '', 'Replace')
  await page.getByText('You have twenty new codes').waitFor()
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: 'One-time code' })
    .fill(totpCode(secret, step + 1))
  await page.getByRole('dialog').getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
  const [renewed = ''] = await listed()
  assert.ok(!codes.includes(renewed))
  await page.getByRole('button', { name: 'Close' }).click()
  await enter('Remove one-time codes', '000000', 'Remove')
  await page.getByText('The code was not accepted').waitFor()
  await page.getByRole('dialog').getByRole('textbox', { name: 'One-time code' }).fill(renewed)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('One-time codes are removed.').waitFor()
  await page.getByRole('button', { name: 'Set up one-time codes' }).waitFor()
  assert.deepEqual(pageErrors, [])
})

test('a person sees their sessions and logins, and ends another session', needsBrowser, async () => {
  const person = await makePerson()
  const other = await logIn(person.username)
  const refused = { username: person.username, password: 'not the password' }
  await stage().controller.request('POST', '/edge/client/v1/authenticate?method=password', { body: refused })
  const { page, pageErrors } = await openAs(person, 'account')
  const sessions = page.getByRole('list', { name: 'Your sessions' }).getByRole('listitem')
  await sessions.nth(1).waitFor()
  assert.equal(await sessions.count(), 2)
  assert.equal(await sessions.filter({ hasText: 'This one is you' }).count(), 1)
  const logins = page.getByRole('list', { name: 'Your recent logins' }).getByRole('listitem')
  await logins.nth(2).waitFor()
  assert.match((await logins.first().textContent()) ?? '', /Refused.*wrong-password/)
  assert.equal(await logins.filter({ hasText: 'Accepted' }).count(), 2)
  await sessions.filter({ hasNotText: 'This one is you' }).getByRole('button', { name: /^End/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
  await sessions.nth(1).waitFor({ state: 'detached' })
  const ended = await stage().controller.request('GET', '/edge/client/v1/current-identity', { session: other })
  assert.equal(ended.status, 401)
  assert.deepEqual(pageErrors, [])
})
