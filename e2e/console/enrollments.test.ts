import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'
import { findFaultsInBoth } from './page-faults.ts'

const MANAGEMENT = '/edge/management/v1'
const CLIENT = '/edge/client/v1'
const stage = useConsole()

const manage = (method: string, path: string, body?: unknown) =>
  stage().controller.request(method, `${MANAGEMENT}${path}`, {
    session: stage().session,
    ...(body !== undefined && { body }),
  })

const makeIdentity = async (name: string): Promise<string> =>
  (await manage('POST', '/identities', { name, type: 'Default', isAdmin: false })).json.data.id

const makeEnrollment = (identityId: string, method: string, members: object = {}) =>
  manage('POST', '/enrollments', { identityId, method, expiresAt: inHours(3), ...members })

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

const enrollmentsOf = async (id: string) => (await manage('GET', `/identities/${id}/enrollments`)).json.data

/** Browsers show what was copied only with this permission. */
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }
const copied = (page: Page) => page.evaluate('navigator.clipboard.readText()') as Promise<string>

const invite = async (page: Page, name: string, kind: string, lifetime?: string) => {
  await page.getByRole('button', { name: `Invite ${name}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(kind, { exact: true }).click()
  if (lifetime) {
    await dialog.getByRole('combobox', { name: 'Valid for' }).click()
    await page.getByRole('option', { name: lifetime }).click()
  }
  return dialog
}

test('a person is invited to choose a password, by a link that works once', needsBrowser, async () => {
  const id = await makeIdentity('paula')
  const { page, pageErrors, goAsAdmin } = await stage().open(CLIPBOARD)
  await goAsAdmin(`identities/${id}`)
  await page.getByText('There is no open invitation.').waitFor()
  const dialog = await invite(page, 'paula', 'Password', '7 days')
  assert.equal(await dialog.getByRole('textbox', { name: 'User name' }).inputValue(), 'paula')
  await dialog.getByRole('textbox', { name: 'User name' }).fill('pa')
  assert.ok(await dialog.getByRole('button', { name: 'Invite' }).isDisabled())
  await dialog.getByRole('textbox', { name: 'User name' }).fill('paula.p')
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const invitation = page.getByRole('group', { name: 'Password invitation' })
  await invitation.getByText('The user name is paula.p.').waitFor()
  const [{ expiresAt, jwt }] = await enrollmentsOf(id)
  assert.ok(Math.abs(Date.parse(expiresAt) - Date.parse(inHours(168))) < 60_000)
  await invitation.getByRole('img', { name: 'QR code to enroll paula' }).waitFor()
  await invitation.getByRole('button', { name: 'Copy token of paula' }).click()
  await invitation.getByRole('button', { name: 'Copied the token of paula' }).waitFor()
  assert.equal((await copied(page)).split('.')[1], jwt.split('.')[1])
  await invitation.getByRole('button', { name: 'Copy link of paula' }).click()
  await invitation.getByRole('button', { name: 'Copied the link of paula' }).waitFor()
  const link = await copied(page)
  assert.equal(new URL(link).pathname, '/console/enroll')

  const invited = await stage().open()
  const requests: string[] = []
  invited.page.on('request', (request) => requests.push(request.url()))
  await invited.page.goto(link)
  await invited.page.getByRole('heading', { name: 'Your invitation' }).waitFor()
  assert.deepEqual(await findFaultsInBoth(invited.page, 'an invitation'), [])
  const password = invited.page.getByRole('textbox', { name: 'Password', exact: true })
  await password.fill('a good password')
  await invited.page.getByRole('textbox', { name: 'Password again' }).fill('another password')
  const send = invited.page.getByRole('button', { name: 'Set the password' })
  await send.click()
  await invited.page.getByText('The passwords differ').waitFor()
  await invited.page.getByRole('textbox', { name: 'Password again' }).fill('a good password')
  await send.click()
  await invited.page.getByText('Your user name is paula.p.').waitFor()
  assert.equal(new URL(invited.page.url()).hash, '')
  assert.deepEqual(
    requests.filter((url) => url.includes(jwt.split('.')[1])),
    [],
    'the token is in no address that a server sees',
  )
  await invited.page.getByRole('link', { name: 'Sign in' }).click()
  await invited.page.getByLabel('User name').fill('paula.p')
  await invited.page.getByRole('textbox', { name: 'Password' }).fill('a good password')
  await invited.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await invited.page.getByRole('button', { name: 'Signed in as paula' }).waitFor()

  const again = await stage().open()
  await again.page.goto(link)
  await again.page.getByRole('textbox', { name: 'Password', exact: true }).fill('a good password')
  await again.page.getByRole('textbox', { name: 'Password again' }).fill('a good password')
  await again.page.getByRole('button', { name: 'Set the password' }).click()
  await again.page.getByRole('alert').first().waitFor()
  assert.equal(await again.page.getByText('Your password is set').count(), 0)
  await again.page.goto('about:blank')
  await again.go('enroll')
  await again.page.getByText('This link has no invitation').waitFor()
  assert.deepEqual([pageErrors, invited.pageErrors], [[], []])
})

test(
  'a certificate invitation is made, renewed and revoked, and the certificate shows its expiry',
  needsBrowser,
  async () => {
    const id = await makeIdentity('probe')
    const { page, pageErrors, goAsAdmin } = await stage().open(CLIPBOARD)
    await goAsAdmin(`identities/${id}`)
    const dialog = await invite(page, 'probe', 'Certificate', 'Until another time')
    const until = dialog.getByLabel('Valid until')
    await until.fill('2020-01-01T00:00')
    assert.ok(await dialog.getByRole('button', { name: 'Invite' }).isDisabled())
    await until.fill('2031-01-01T00:00')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    const invitation = page.getByRole('group', { name: 'Certificate invitation' })
    await invitation.waitFor()
    const [first] = await enrollmentsOf(id)
    assert.ok(first.expiresAt.startsWith('2030-12-31') || first.expiresAt.startsWith('2031-01-01'))
    await invitation.getByRole('button', { name: 'Copy link of probe' }).click()
    await invitation.getByRole('button', { name: 'Copied the link of probe' }).waitFor()
    const opened = await stage().open()
    await opened.page.goto(await copied(page))
    await opened.page.getByRole('img', { name: 'QR code of the invitation' }).waitFor()
    await opened.page.getByText('countersign enroll invitation.jwt').waitFor()
    assert.deepEqual(await findFaultsInBoth(opened.page, 'a certificate invitation'), [])

    await invitation.getByRole('button', { name: 'Renew the invitation of probe' }).click()
    await page.getByRole('dialog').getByRole('combobox', { name: 'Valid for' }).click()
    await page.getByRole('option', { name: '1 day' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click()
    await page.getByText('The invitation is renewed.').waitFor()
    const [renewed] = await enrollmentsOf(id)
    assert.equal(renewed.id, first.id)
    assert.notEqual(renewed.token, first.token)
    assert.ok(Math.abs(Date.parse(renewed.expiresAt) - Date.parse(inHours(24))) < 60_000)
    const enroll = (token: string) =>
      stage().controller.request('POST', `${CLIENT}/enroll/ott`, { body: { token, clientCsr: makeTestCsr().pem } })
    assert.equal((await enroll(first.token)).status, 400)
    assert.equal((await enroll(renewed.token)).status, 200)
    await page.reload()
    await page.getByText('There is no open invitation.').waitFor()
    const authenticators = page.getByRole('region', { name: 'Authenticators' })
    await authenticators.getByText('valid until').locator('time').waitFor()

    await (await invite(page, 'probe', 'Certificate')).getByRole('button', { name: 'Invite' }).click()
    await invitation.getByRole('button', { name: 'Revoke the invitation of probe' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('There is no open invitation.').waitFor()
    assert.deepEqual(await enrollmentsOf(id), [])
    assert.deepEqual(pageErrors, [])
  },
)

test('the list has all invitations, searched, filtered, renewed and revoked', needsBrowser, async () => {
  for (const name of ['ines', 'ingo', 'ivan']) await makeEnrollment(await makeIdentity(name), 'ott')
  const ivan = (await manage('GET', '/identities?filter=name%20%3D%20"ivan"')).json.data[0].id
  await makeEnrollment(ivan, 'updb', { username: 'ivan.i' })
  const { page, pageErrors, goAsAdmin, settle } = await stage().open()
  await goAsAdmin('enrollments')
  const row = (name: string | RegExp) => page.getByRole('row', { name })
  await row(/ines Certificate/).waitFor()
  await page.getByLabel('Search identity or user name').fill('ivan')
  await row(/ines/).waitFor({ state: 'detached' })
  await row(/ivan Certificate/).waitFor()
  await row(/ivan Password/).waitFor()
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('Password')
  await row(/ivan Certificate/).waitFor({ state: 'detached' })
  await settle()
  assert.deepEqual(await findFaultsInBoth(page, 'the list of invitations'), [])
  await row(/ivan/).getByRole('button', { name: 'Renew the invitation of ivan' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Valid for' }).click()
  await page.getByRole('option', { name: '30 days' }).click()
  await dialog.getByRole('button', { name: 'Renew' }).click()
  await page.getByText('The invitation is renewed.').waitFor()
  const [renewed] = (await enrollmentsOf(ivan)).filter(({ method }: { method: string }) => method === 'updb')
  assert.ok(Math.abs(Date.parse(renewed.expiresAt) - Date.parse(inHours(720))) < 60_000)
  await row(/ivan/).getByRole('button', { name: 'Revoke the invitation of ivan' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Nothing matches').waitFor()
  assert.equal((await enrollmentsOf(ivan)).length, 1)
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('All')
  await page.getByLabel('Search identity or user name').fill('i')
  await row(/ines Certificate/).waitFor()
  const [before] = await enrollmentsOf(ivan)
  const select = async () => {
    for (const name of [/ines Certificate/, /ivan Certificate/]) await row(name).getByRole('checkbox').check()
  }
  await select()
  await page.getByRole('button', { name: 'Renew…' }).click()
  await dialog.getByText('Gets a new link and token, valid for 3 hours').first().waitFor()
  await dialog.getByRole('button', { name: 'Renew 2' }).click()
  await dialog.getByText('2 of 2 done.').waitFor()
  const [after] = await enrollmentsOf(ivan)
  assert.notEqual(after.token, before.token)
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await select()
  await page.getByRole('button', { name: 'Revoke…' }).click()
  await dialog.getByRole('button', { name: 'Revoke 2' }).click()
  await dialog.getByText('2 of 2 done.').waitFor()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await row(/ines Certificate/).waitFor({ state: 'detached' })
  assert.equal((await enrollmentsOf(ivan)).length, 0)
  await page.getByRole('combobox', { name: 'State' }).selectOption('Expired')
  await page.getByText('Nothing matches').waitFor()
  assert.deepEqual(pageErrors, [])
})
