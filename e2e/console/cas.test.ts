import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CaCreate } from '@countersign/contract'
import { makeTestAuthority, makeTestCertificate } from '@countersign/testkit'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'

const CAS = '/edge/management/v1/cas'
const stage = useConsole()

const manage = (method: string, path: string, body?: unknown) =>
  stage().controller.request(method, path, { session: stage().session, ...(body !== undefined && { body }) })

test('W-82 W-85 a CA is added with every member, verified, edited and deleted', needsBrowser, async () => {
  const authority = makeTestAuthority({ commonName: 'Corp' })
  const { page, pageErrors, go, logInAsAdmin } = await stage().open()
  await logInAsAdmin()
  await go('cas/new')
  const field = (path: string) => page.locator(`[data-path="${path}"]`)
  await field('name').fill('Corporate devices')
  await field('certPem').fill(authority.pem)
  await page.getByRole('switch', { name: 'Unknown certificates enroll as new identities' }).click()
  await field('identityRoles').fill('devices')
  await field('identityRoles').press('Enter')
  await field('identityNameFormat').fill('[commonName]')
  await page.getByRole('switch', { name: 'A part of the certificate names the identity by its external id' }).click()
  await page.getByRole('combobox', { name: 'Values' }).click()
  await page.getByRole('option', { name: 'With a prefix, which is cut off' }).click()
  await page.getByRole('button', { name: 'Add the CA' }).click()
  await page.getByText('invalid criteria').waitFor()
  await field('matcherCriteria').fill('dev-')
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(CAS))
  await page.getByRole('button', { name: 'Add the CA' }).click()
  const body = (await sent).postDataJSON()
  assert.deepEqual(
    Object.keys(CaCreate.properties).filter((member) => !(member in body)),
    [],
    'members that are not in the form',
  )
  await page.getByRole('heading', { name: 'Corporate devices' }).waitFor()
  const id = page.url().split('/').at(-1)
  const { verificationToken } = (await manage('GET', `${CAS}/${id}`)).json.data
  await page.getByText(verificationToken).waitFor()
  const proof = (commonName: string) => makeTestCertificate({ issuer: authority, commonName }).pem
  await field('certPem').fill(proof('another name'))
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('The certificate does not have the requested common name').waitFor()
  await field('certPem').fill(proof(verificationToken))
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByRole('heading', { name: 'Verification' }).waitFor({ state: 'detached' })
  await page.getByText('external id: part 1 of the common name with the prefix “dev-”').waitFor()

  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('switch', { name: 'A part of the certificate names the identity by its external id' }).click()
  const changed = page.waitForRequest(
    (request) => request.method() === 'PATCH' && request.url().endsWith(`${CAS}/${id}`),
  )
  await page.getByRole('button', { name: 'Save' }).click()
  assert.deepEqual((await changed).postDataJSON(), { externalIdClaim: null }, 'only what was changed')
  await page.getByText('the one that the certificate is recorded with').waitFor()
  const saved = (await manage('GET', `${CAS}/${id}`)).json.data
  assert.deepEqual(
    [saved.isVerified, saved.externalIdClaim, saved.identityRoles, saved.identityNameFormat],
    [true, undefined, ['devices'], '[commonName]'],
  )
  await page.getByRole('button', { name: 'Delete Corporate devices' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('There are no third-party CAs').waitFor()
  assert.deepEqual(pageErrors, [])
})
