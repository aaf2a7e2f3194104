import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import { type TestContext, test } from 'node:test'
import { launchBrowser, needsBrowser } from '../browser/launch-browser.ts'
import { buildSdk } from './sdk-pack.ts'
import { createSdkStage } from './sdk-stage.ts'

/** Serves an empty page and the built SDK, from another origin than the controller's. */
async function servePage(t: TestContext, dist: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '', 'http://x').pathname)
    const isScript = path.startsWith('/sdk/') && path.endsWith('.js')
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(
      isScript ? readFileSync(join(dist, path.slice('/sdk/'.length))) : '<!doctype html><title>A page</title>',
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test(
  'a page of another origin lists signers with the built SDK, and logs a person in with code and PKCE',
  needsBrowser,
  async (t) => {
    const { dist } = await buildSdk(t)
    const origin = await servePage(t, dist)
    const { baseUrl } = await createSdkStage(t)
    const browser = await launchBrowser()
    t.after(() => browser.close())
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
    await page.goto(`${origin}/`)

    const listed = await page.evaluate(async (address) => {
      const { ControllerClient } = await import(`${'/sdk'}/index.js`)
      const signers = await new ControllerClient({ baseUrl: address }).listClientSigners()
      return signers.map(({ name }: { name: string }) => name)
    }, baseUrl)
    assert.deepEqual(listed, ['local-provider'])

    const url = await page.evaluate(
      async ([address, redirectUri]) => {
        const { ControllerClient, BrowserLogin } = await import(`${'/sdk'}/index.js`)
        const [signer] = await new ControllerClient({ baseUrl: address }).listClientSigners()
        const login = await BrowserLogin.start({ signer, redirectUri })
        sessionStorage.setItem('login', JSON.stringify({ signer, pending: login.pending }))
        return login.url as string
      },
      [baseUrl, `${origin}/callback`],
    )
    assert.deepEqual(new URL(url).searchParams.get('code_challenge_method'), 'S256')
    await page.goto(url)
    await page.getByRole('button', { name: /alice/i }).click()
    await page.waitForURL(`${origin}/callback?**`)

    const result = await page.evaluate(
      async ([address, here]) => {
        const { ControllerClient, BrowserLogin } = await import(`${'/sdk'}/index.js`)
        const { signer, pending } = JSON.parse(sessionStorage.getItem('login') ?? '{}')
        const other = await BrowserLogin.resume({ signer }, { ...pending, state: 'of another login' })
        const refusal = await other.finish(here).catch((error: { code: string }) => error.code)
        const login = await BrowserLogin.resume({ signer }, pending)
        const { token } = await login.finish(here)
        const client = new ControllerClient({ baseUrl: address })
        await client.logInWithJwt(token)
        return { refusal, externalId: (await client.currentIdentity()).externalId }
      },
      [baseUrl, page.url()],
    )
    assert.equal(result.refusal, 'LOGIN_REFUSED')
    assert.match(result.externalId, /^alice/)

    const files = await page.evaluate(async () => {
      const { Credentials } = await import(`${'/sdk'}/index.js`)
      return Credentials.load().catch((error: { code: string }) => error.code)
    })
    assert.equal(files, 'NO_CREDENTIALS')
  },
)
