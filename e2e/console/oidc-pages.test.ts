import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { totpCode, totpStep } from '@countersign/core'
import { readProvisioningSecret } from '@countersign/testkit'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole, type Visit } from './console-stage.ts'
import { findPageFaults, WIDTHS } from './page-faults.ts'

const PASSWORD = 'a password of theirs'

const stage = useConsole()

/** An app on this machine that receives the browser after the login. */
async function listenForCallback(t: TestContext): Promise<string> {
  const server = createServer((_, response) => response.end('<!doctype html><h1>Back in the app</h1>'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth/callback`
}

/** Creates a person whose policy requires one-time codes. */
async function makePerson(username: string): Promise<void> {
  const { manage } = stage()
  const { primary, secondary } = await manage('GET', '/auth-policies/default')
  const policy = { name: `codes for ${username}`, primary, secondary: { ...secondary, requireTotp: true } }
  const { id: authPolicyId } = await manage('POST', '/auth-policies', policy)
  const { id } = await manage('POST', '/identities', { name: username, type: 'User', isAdmin: false, authPolicyId })
  await manage('POST', '/authenticators', { method: 'updb', identityId: id, username, password: PASSWORD })
}

/** Logs in on the pages, and sets up one-time codes on the way. Returns the faults of the pages. */
async function logIn({ page }: Visit, username: string): Promise<string[]> {
  const faults: string[] = []
  const check = async (name: string) => {
    faults.push(...(await findPageFaults(page, name, `oidc-${name}`)))
  }
  const enter = async (password: string) => {
    await page.getByLabel('User name').fill(username)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  await check('password')
  await enter('another password')
  await page.getByRole('alert').waitFor()
  await check('refused')
  await enter(PASSWORD)
  await page.getByText(`Signing in as ${username}`).waitFor()
  await check('begin')
  await page.getByRole('button', { name: 'Set up one-time codes' }).click()
  await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor()
  await check('codes')
  const address = (await page.getByRole('link', { name: 'open the app on this device' }).getAttribute('href')) ?? ''
  await page.getByLabel('One-time code').fill(totpCode(readProvisioningSecret(address), totpStep(Date.now())))
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  return faults
}

for (const { width, height, colorScheme } of WIDTHS) {
  test(
    `U-07 an app logs a user in on the pages of the provider, at ${width} px, ${colorScheme}`,
    needsBrowser,
    async (t) => {
      const redirectUri = await listenForCallback(t)
      const username = `petra-${width}`
      await makePerson(username)
      const visit = await stage().open({ viewport: { width, height }, colorScheme })
      const { page, pageErrors } = visit
      const verifier = randomBytes(32).toString('base64url')
      const { origin } = new URL(stage().controller.ready.consoleUrl)
      const query = new URLSearchParams({
        client_id: 'openziti',
        response_type: 'code',
        scope: 'openid',
        state: 'S1',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        redirect_uri: redirectUri,
      })
      await page.goto(`${origin}/oidc/authorize?${query}`)
      const faults = await logIn(visit, username)
      await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
      const back = new URL(page.url())
      assert.equal(back.origin + back.pathname, redirectUri)
      assert.equal(back.searchParams.get('state'), 'S1')
      const form = {
        grant_type: 'authorization_code',
        client_id: 'openziti',
        code: back.searchParams.get('code') ?? '',
        code_verifier: verifier,
        redirect_uri: redirectUri,
      }
      const redeemed = await page.request.post(`${origin}/oidc/oauth/token`, { form })
      assert.equal(redeemed.status(), 200, await redeemed.text())
      const { access_token: token } = await redeemed.json()
      const headers = { authorization: `Bearer ${token}` }
      const self = await stage().controller.request('GET', '/edge/client/v1/current-identity', { headers })
      assert.equal(self.json.data.name, username)
      assert.deepEqual([faults, pageErrors], [[], []])
    },
  )
}
