import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'

const SIGNERS = '/edge/management/v1/ext-jwt-signers'
const stage = useConsole()

const create = async (name: string) => {
  const issuer = `https://${name}.example`
  const body = { name, enabled: false, issuer, audience: 'a', jwksEndpoint: `${issuer}/keys` }
  const created = await stage().controller.request('POST', SIGNERS, { session: stage().session, body })
  assert.equal(created.status, 201, created.text)
}

const logInByPassword = (body: { username: string; password: string }) =>
  stage().controller.request('POST', '/edge/client/v1/authenticate?method=password', { body })

/** A proxy between the browser and the controller that can be disconnected. */
async function startProxy(t: TestContext, port: number) {
  const sockets = new Set<Socket>()
  let isDisconnected = false
  const server = createServer((downstream) => {
    if (isDisconnected) {
      downstream.destroy()
      return
    }
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [downstream, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        downstream.destroy()
        upstream.destroy()
      })
    }
    downstream.pipe(upstream).pipe(downstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const disconnect = () => {
    isDisconnected = true
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    disconnect()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    disconnect,
    reconnect: () => {
      isDisconnected = false
    },
  }
}

test('events appear as they happen, and can be filtered by kind and text', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('events')
  await page.getByText('Live', { exact: true }).waitFor()
  await create('lively')
  const line = page.getByRole('button', { name: /admin created the signer “lively”/ })
  await line.waitFor()
  await line.click()
  await page
    .getByRole('region', { name: /“lively”/ })
    .getByText('"entityType": "externalJwtSigners"')
    .waitFor()
  assert.equal((await logInByPassword({ username: 'admin', password: 'not the password' })).status, 401)
  const refused = page.getByRole('button', { name: /Login by password refused/ })
  await refused.first().waitFor()
  await page.getByLabel('Containing').fill('LIVELY')
  await refused.first().waitFor({ state: 'detached' })
  await page.getByText('1 event', { exact: true }).waitFor()
  await page.getByLabel('Containing').fill('nothing of the kind')
  await page.getByText('No matching events.').waitFor()
  await page.getByLabel('Containing').fill('')
  await page.getByRole('combobox', { name: 'Namespaces' }).click()
  await page.getByRole('option', { name: 'Logins' }).click()
  await refused.first().waitFor()
  await line.waitFor({ state: 'detached' })
  assert.deepEqual(pageErrors, [])
})

test('a lost connection is shown, and missed events appear when it is back', needsBrowser, async (t) => {
  const direct = new URL(stage().controller.ready.consoleUrl)
  const proxy = await startProxy(t, Number(direct.port))
  const consoleUrl = `https://127.0.0.1:${proxy.port}${direct.pathname}`
  const { page, goAsAdmin } = await stage().open({ consoleUrl })
  await goAsAdmin('events')
  await page.getByText('Live', { exact: true }).waitFor()
  await create('before')
  await page.getByText('created the signer “before”').waitFor()
  proxy.disconnect()
  await page.getByText('The controller does not respond').waitFor()
  await page.getByText('Connecting', { exact: true }).waitFor()
  await create('meanwhile')
  proxy.reconnect()
  await page.getByText('created the signer “meanwhile”').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('The controller does not respond').waitFor({ state: 'detached' })
  assert.equal(await page.getByText('created the signer “before”').count(), 1, 'no event appears twice')
})

test('the overview shows current logins, refusals, signers, sessions and events', needsBrowser, async () => {
  const { page, pageErrors, goAsAdmin } = await stage().open()
  await goAsAdmin('')
  await page.getByText('Live', { exact: true }).waitFor()
  const summary = await stage().controller.request('GET', '/edge/management/v1/summary', { session: stage().session })
  const sessions = page.getByRole('link', { name: 'Sessions', exact: true }).locator('..')
  await sessions.getByText(String(summary.json.data.apiSessions), { exact: true }).waitFor()
  await page.getByRole('region', { name: 'Signers' }).getByText('Good').first().waitFor()
  const refusals = page.getByRole('region', { name: 'Refusals by reason' })
  assert.equal((await logInByPassword({ username: 'admin', password: 'wrong again' })).status, 401)
  const reason = refusals.getByRole('link', { name: 'wrong-password' })
  await reason.waitFor()
  await refusals.getByRole('progressbar', { name: /^wrong-password: \d+$/ }).waitFor()
  const minutes = page.getByRole('table', { name: 'Logins per minute' })
  await minutes.waitFor({ state: 'attached' })
  const rows = await minutes.locator('tbody tr').evaluateAll((all) => all.map((row) => row.textContent ?? ''))
  assert.equal(rows.length, 30)
  assert.ok(
    rows.some((row) => !row.endsWith('00')),
    'some minute has logins',
  )
  await page.getByRole('region', { name: 'Recent events' }).getByText('admin signed in by password').first().waitFor()
  await reason.click()
  await page.getByRole('heading', { name: 'Decisions' }).waitFor()
  await page.getByRole('cell', { name: 'wrong-password' }).first().waitFor()
  assert.deepEqual(pageErrors, [])
})
