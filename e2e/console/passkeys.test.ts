import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch-browser.ts'
import { runCountersign } from '../cli/run-countersign.ts'
import { ADMIN, type ConsoleStage, useConsole, type Visit } from './console-stage.ts'

const PASSWORD = 'a password of theirs'
const stage = useConsole()

const manage: ConsoleStage['manage'] = (...call) => stage().manage(...call)

/** Creates an administrator with a password, whose policy has these members. */
async function makePerson(passkey: { readonly allowed: boolean; readonly requirePasskey: boolean }) {
  const username = `person-${randomUUID().slice(0, 8)}`
  const { primary, secondary } = await manage('GET', '/auth-policies/default')
  const { id: authPolicyId } = await manage('POST', '/auth-policies', {
    name: `passkeys of ${username}`,
    primary: { ...primary, passkey: { allowed: passkey.allowed } },
    secondary: { ...secondary, requirePasskey: passkey.requirePasskey },
  })
  const { id } = await manage('POST', '/identities', { name: username, type: 'User', isAdmin: true, authPolicyId })
  await manage('POST', '/authenticators', { method: 'updb', identityId: id, username, password: PASSWORD })
  return { id, username }
}

interface PasskeyVisit extends Visit {
  /** Whether the device verifies its user from now on. */
  setUserVerified(isUserVerified: boolean): Promise<void>
  /** Whether the person touches the device when it asks, from now on. */
  setPresent(isPresent: boolean): Promise<void>
}

/** Text, because the tests have no types of browsers. */
const NOTE_OFFERS = `
  const get = navigator.credentials.get.bind(navigator.credentials)
  navigator.credentials.get = (options) => {
    if (options.mediation === 'conditional') window.arePasskeysOffered = true
    return get(options)
  }`

/** Opens the console under its host name, in a browser with a device that holds passkeys. */
async function openWithDevice(): Promise<PasskeyVisit> {
  const url = new URL(stage().controller.ready.consoleUrl)
  url.hostname = 'localhost'
  const visit = await stage().open({ consoleUrl: url.href })
  await visit.page.addInitScript(NOTE_OFFERS)
  const device = await visit.page.context().newCDPSession(visit.page)
  await device.send('WebAuthn.enable')
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const setUserVerified = async (isUserVerified: boolean) => {
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  }
  const setPresent = async (enabled: boolean) => {
    await device.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  }
  return { ...visit, setUserVerified, setPresent }
}

/** The command, logged in as administrator. */
async function useCommand(t: TestContext) {
  const home = await mkdtemp(join(tmpdir(), 'countersign-'))
  t.after(() => rm(home, { recursive: true }))
  const { baseUrl, caFile } = stage().controller.ready
  const login = ['login', baseUrl, '-u', ADMIN.username, '--password-stdin', '--ca-file', caFile]
  assert.equal((await runCountersign(home, login, { stdin: `${ADMIN.password}\n` })).exitCode, 0)
  return (...args: string[]) => runCountersign(home, args)
}

async function enterPassword(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The device is not touched until the page has offered its passkeys for the user name: it would log in at once. */
async function logOut({ page, go, setPresent }: PasskeyVisit): Promise<void> {
  await setPresent(false)
  await page.context().clearCookies()
  await go('')
  await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
  // The page's policy forbids to evaluate a text later, as waitForFunction does.
  while (!(await page.evaluate('window.arePasskeysOffered === true'))) await setTimeout(20)
}

test(
  'X-01 X-05 a passkey is added, logs in, is renamed, and is removed by an administrator',
  needsBrowser,
  async () => {
    const person = await makePerson({ allowed: true, requirePasskey: false })
    const visit = await openWithDevice()
    const { page, pageErrors, go, setPresent } = visit
    await go('')
    await enterPassword(page, person.username)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await go('account')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('My laptop')
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    const own = page.getByRole('list', { name: 'Your passkeys' })
    await own.getByText('My laptop').waitFor()
    await logOut(visit)
    await setPresent(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await go('account')
    await own.getByText('last used').waitFor()
    await own.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel('Name').fill('My old laptop')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await own.getByText('My old laptop').waitFor()
    await page.context().clearCookies()
    await go('')
    // The device has one passkey for the page, and its owner touches it at once.
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await go('account')
    await own.getByText('My old laptop').waitFor()

    const admin = await stage().open()
    await admin.goAsAdmin(`identities/${person.id}`)
    const passkeys = admin.page.getByRole('list', { name: 'Passkeys' })
    await passkeys.getByRole('button', { name: 'Remove My old laptop' }).click()
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await admin.page.getByText('Users add them themselves').waitFor()
    await go('account')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('Login refused').waitFor()
    assert.deepEqual([pageErrors, admin.pageErrors], [[], []])
  },
)

test(
  'X-03 X-04 a required passkey is added at the first login, and asked for after the password',
  needsBrowser,
  async (t) => {
    const person = await makePerson({ allowed: false, requirePasskey: true })
    const visit = await openWithDevice()
    const { page, pageErrors, go, setUserVerified, setPresent } = visit
    await go('')
    await enterPassword(page, person.username)
    await page.getByRole('heading', { name: 'One more step' }).waitFor()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await logOut(visit)
    await setPresent(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('Login refused').waitFor()
    await enterPassword(page, person.username)
    await setUserVerified(false)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('The passkey was not accepted').waitFor()
    await setUserVerified(true)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

    const countersign = await useCommand(t)
    const [{ name }] = await manage('GET', `/identities/${person.id}/passkeys`)
    assert.equal((await countersign('passkeys', 'list', person.username, '-o', 'name')).stdout, `${name}\n`)
    const unknown = await countersign('passkeys', 'revoke', person.username, 'another', '--yes')
    assert.equal(unknown.exitCode, 5)
    assert.match(unknown.stderr, /has no passkey "another"\nhint: "countersign passkeys list person-/)
    const revoked = await countersign('passkeys', 'revoke', person.username, name, '--yes')
    assert.deepEqual([revoked.exitCode, revoked.stderr], [0, ''])
    assert.deepEqual(await manage('GET', `/identities/${person.id}/passkeys`), [])
    await go('')
    await page.getByRole('heading', { name: 'Sign in to Countersign' }).waitFor()
    assert.deepEqual(pageErrors, [])
  },
)

test('under an IP address the console says that passkeys need a host name', needsBrowser, async () => {
  const { page, go, pageErrors } = await stage().open()
  await go('')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('passkeys need a host name').waitFor()
  assert.deepEqual(pageErrors, [])
})
