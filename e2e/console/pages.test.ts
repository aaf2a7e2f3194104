import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { makeTestAuthority } from '@countersign/testkit'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'
import { findPageFaults, findSerious, WIDTHS } from './page-faults.ts'

const stage = useConsole()

async function findPaths(): Promise<string[]> {
  const { controller, session } = stage()
  const first = async (path: string) => {
    const { json } = await controller.request('GET', path, { session })
    return (json.data ?? json)[0].id as string
  }
  const refused = await controller.request('POST', '/edge/client/v1/authenticate?method=ext-jwt', {
    headers: { authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.AAAA' },
  })
  const members = { isAuthEnabled: true, isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true }
  const caBody = { name: randomUUID(), certPem: makeTestAuthority().pem, identityRoles: ['devices'], ...members }
  const ca = await controller.request('POST', '/edge/management/v1/cas', { session, body: caBody })
  const signer = await first('/edge/management/v1/ext-jwt-signers')
  const identity = await first(
    '/edge/management/v1/identities?filter=name%20%3D%20%22alice%22%20or%20isAdmin%20%3D%20false',
  )
  const provider = await first('/identity/v1/identity-providers')
  const account = await first('/identity/v1/api-account-identities')
  const organization = await first('/identity/v1/operator/organizations')
  const networks = await controller.request('GET', '/core/v3/networks', { session })
  const network = JSON.parse(networks.text)._embedded.networkList[0].id
  const body = { method: 'ott', identityId: identity, expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
  await controller.request('POST', '/edge/management/v1/enrollments', { session, body })
  const sinkBody = { name: `sink-${randomUUID()}`, kind: 'file' }
  const sink = await controller.request('POST', '/edge/management/v1/event-sinks', { session, body: sinkBody })
  const entry = await first('/edge/management/v1/audit-entries?filter=objectKind%20%3D%20%22event-sink%22')
  return [
    'account',
    'signers',
    'signers/new',
    `signers/${signer}`,
    `signers/${signer}/edit`,
    'cas',
    'cas/new',
    `cas/${ca.json.data.id}`,
    `cas/${ca.json.data.id}/edit`,
    'policies',
    'policies/new',
    'policies/default',
    'identities',
    'identities/new',
    `identities/${identity}`,
    `identities/${identity}/edit`,
    'enrollments',
    'sessions',
    'test-token',
    'decisions',
    `decisions/${refused.json.error.requestId}`,
    'events',
    'history',
    `history/${entry}`,
    'sinks',
    'sinks/new',
    `sinks/${sink.json.data.id}`,
    `sinks/${sink.json.data.id}/edit`,
    'organization/networks',
    'organization/networks/new',
    `organization/networks/${network}`,
    'organization/providers',
    'organization/providers/new',
    `organization/providers/${provider}`,
    'organization/api-accounts',
    'organization/account-jobs',
    'organization/api-accounts/new',
    'organization/api-accounts/new-federated',
    `organization/api-accounts/${account}`,
    'organization/audit-events',
    'organization/all',
    `organization/all/${organization}`,
    'no-such-page',
  ]
}

for (const { width, height, colorScheme } of WIDTHS) {
  test(`every page fits ${width} px, and axe finds nothing serious in it, ${colorScheme}`, needsBrowser, async () => {
    const { page, pageErrors, go, follow, settle, goAsAdmin } = await stage().open({
      viewport: { width, height },
      colorScheme,
    })
    const paths = await findPaths()
    const faults: string[] = []
    const check = async (path: string) => {
      await settle()
      faults.push(...(await findPageFaults(page, path, fileName(path))))
    }
    await go('')
    await check('login')
    await goAsAdmin('')
    await check('')
    for (const path of paths) {
      await follow(path)
      await check(path)
    }
    assert.ok(paths.length > 20)
    assert.deepEqual([faults, pageErrors], [[], []])
  })
}

/** Dialogs: the page, and the button that opens it. */
const DIALOGS: readonly { readonly path: string; readonly button: RegExp }[] = [
  { path: 'signers/:signer', button: /^Delete / },
  { path: 'signers/:signer', button: /^Disable / },
  { path: 'organization/api-accounts/:account', button: /^Rotate / },
  { path: 'organization/api-accounts/:account', button: /^Disable / },
  { path: 'organization/api-accounts/:account', button: /^Delete / },
  { path: 'organization/networks/:network', button: /^Delete / },
  { path: 'organization/providers/:provider', button: /^Delete / },
]

for (const { width, height, colorScheme } of WIDTHS) {
  test(`axe finds nothing serious in dialogs at ${width} px, ${colorScheme}`, needsBrowser, async () => {
    const { controller, session } = stage()
    const name = `Network of ${width}`
    const created = await controller.request('POST', '/core/v3/networks', { session, body: { name } })
    const paths = await findPaths()
    const ids: Readonly<Record<string, string>> = {
      ':network': JSON.parse(created.text).id,
      ':signer': lastSegment(paths.find((path) => path.startsWith('signers/') && path.split('/')[1] !== 'new')),
      ':account': lastSegment(paths.findLast((path) => path.startsWith('organization/api-accounts/'))),
      ':provider': lastSegment(paths.findLast((path) => path.startsWith('organization/providers/'))),
    }
    const { page, pageErrors, go, goAsAdmin } = await stage().open({
      viewport: { width, height },
      colorScheme,
    })
    const faults: string[] = []
    const check = async (what: string) => {
      faults.push(...(await findSerious(page, what, '[role="dialog"]')))
    }
    await goAsAdmin('')
    for (const { path, button } of DIALOGS) {
      await go(path.replace(/:\w+/, (word) => ids[word] ?? ''))
      await page.getByRole('button', { name: button }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor()
      await page.locator('[role="dialog"] :focus').waitFor()
      await check(`${path} ${button}`)
    }
    await go('organization/api-accounts/new')
    await page.getByRole('textbox', { name: 'Name' }).fill(`Account of ${width}`)
    await page.getByRole('combobox', { name: 'Identity provider' }).click()
    await page.getByRole('option', { name: /user pool/i }).click()
    await page.getByRole('button', { name: 'Add the account' }).click()
    await page.getByRole('button', { name: 'Download credentials.json' }).waitFor()
    await check('the credentials')
    assert.deepEqual([faults, pageErrors], [[], []])
  })
}

function lastSegment(path: string | undefined): string {
  return path?.split('/').at(-1) ?? assert.fail('there is no such path')
}

function fileName(path: string): string {
  const words = path.split('/').map((word) => (word.length > 20 ? 'one' : word))
  return words.join('-') || 'overview'
}

test('a signer is found, opened and disabled by keyboard alone', needsBrowser, async () => {
  const { page, settle, goAsAdmin, reach } = await stage().open()
  const { keyboard } = page
  const focused = page.locator(':focus')
  await goAsAdmin('signers')
  await settle()
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await reach('td a', 'local-provider')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'local-provider' }).waitFor()
  await settle()
  await reach('[aria-label="Disable local-provider"]')
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await focused.and(page.getByRole('button', { name: 'Disable local-provider' })).waitFor()
  await keyboard.press('Enter')
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Disable' })
  await focused.and(confirm).waitFor()
  await keyboard.press('Enter')
  await page.getByRole('button', { name: 'Enable' }).waitFor()
})

test('a page that does not exist has a heading and a link back', needsBrowser, async () => {
  const { page, pageErrors, follow, goAsAdmin } = await stage().open()
  await goAsAdmin('')
  for (const [path, back] of [
    ['signers/nothing', 'Signers'],
    ['signers/nothing/edit', 'Signers'],
    ['policies/nothing', 'Authentication policies'],
    ['identities/nothing', 'Identities'],
    ['identities/nothing/edit', 'Identities'],
    ['organization/networks/nothing', 'Networks'],
    ['organization/providers/nothing', 'Identity providers'],
    ['organization/api-accounts/nothing', 'Manage API Account'],
  ] as const) {
    await follow(path)
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    await page.locator('#content').getByRole('link', { name: back, exact: true }).waitFor()
  }
  assert.deepEqual(pageErrors, [])
})
