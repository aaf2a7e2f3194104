import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBrowser } from '../dev/browser.fixture.ts'
import { setUpDev } from '../dev/dev.fixture.ts'
import { cookiesOf, OWN_PAGE } from './console-app.fixture.ts'

const HOST = '127.0.0.1:1280'

test('S1-5.1.3 alice logs in to the console at the local provider', async (t) => {
  const { app } = await setUpDev(t)
  const [signer] = (await app.call('GET', '/edge/client/v1/external-jwt-signers')).json.data
  const begun = await app.call('GET', `/console/login/${signer.id}`, undefined, { headers: { host: HOST } })
  assert.equal(begun.status, 303, begun.text)
  const cookie = (cookiesOf(begun)[0] ?? '').split(';', 1)[0] ?? ''
  const browser = createBrowser()
  const page = await browser.open(begun.headers.location ?? '')
  const { location } = await browser.submit(page, { person: 'alice' })
  assert.ok(location.startsWith(`https://${HOST}/console/callback?`), location)
  const { pathname, search } = new URL(location)
  const back = await app.call('GET', pathname + search, undefined, { headers: { host: HOST, cookie } })
  assert.equal(back.headers.location, '/console/')
  const session = (cookiesOf(back)[0] ?? '').split(';', 1)[0] ?? ''
  const headers = { ...OWN_PAGE, cookie: session }
  const own = await app.call('GET', '/edge/client/v1/current-identity', undefined, { headers })
  assert.equal(own.json.data.name, 'alice', own.text)
})
