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
  const made = await stage().controller.request('POST', SIGNERS, { session: stage().session, body })
  assert.equal(made.status, 201, made.text)
}

const signIn = (body: { username: string; password: string }) =>
  stage().controller.request('POST', '/edge/client/v1/authenticate?method=password', { body })

/** A cable between the browser and the controller that can be pulled out. */
async function startCable(t: TestContext, port: number) {
  const sockets = new Set<Socket>()
  let isOut = false
  const server = createServer((near) => {
    if (isOut) {
      near.destroy()
      return
    }
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pull = () => {
    isOut = true
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    pull()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    pull,
    plugIn: () => {
      isOut = false
    },
  }
}

test('events come as they happen, and are narrowed down by kind and by text', needsBrowser, async () => {
  const { page, complaints, go, signIn: enter } = await stage().open()
  await enter()
  await go('events')
  await page.getByText('Live', { exact: true }).waitFor()
  await create('lively')
  const line = page.getByRole('button', { name: /admin created the signer “lively”/ })
  await line.waitFor()
  await line.click()
  await page
    .getByRole('region', { name: /“lively”/ })
    .getByText('"entityType": "externalJwtSigners"')
    .waitFor()
  assert.equal((await signIn({ username: 'admin', password: 'not the password' })).status, 401)
  const refused = page.getByRole('button', { name: /Sign-in by password refused/ })
  await refused.first().waitFor()
  await page.getByLabel('Containing').fill('LIVELY')
  await refused.first().waitFor({ state: 'detached' })
  await page.getByText('1 event', { exact: true }).waitFor()
  await page.getByLabel('Containing').fill('nothing of the kind')
  await page.getByText('Nothing of the kind has happened').waitFor()
  await page.getByLabel('Containing').fill('')
  await page.getByRole('combobox', { name: 'Kinds' }).click()
  await page.getByRole('option', { name: 'Sign-ins' }).click()
  await refused.first().waitFor()
  await line.waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})

test(
  'when the connection is lost it is said, and what happened meanwhile is there once it is back',
  needsBrowser,
  async (t) => {
    const direct = new URL(stage().controller.ready.consoleUrl)
    const cable = await startCable(t, Number(direct.port))
    const consoleUrl = `https://127.0.0.1:${cable.port}${direct.pathname}`
    const { page, go, signIn: enter } = await stage().open({ consoleUrl })
    await enter()
    await go('events')
    await page.getByText('Live', { exact: true }).waitFor()
    await create('before')
    await page.getByText('created the signer “before”').waitFor()
    cable.pull()
    await page.getByText('The controller does not answer').waitFor()
    await page.getByText('Connecting', { exact: true }).waitFor()
    await create('meanwhile')
    cable.plugIn()
    await page.getByText('created the signer “meanwhile”').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('The controller does not answer').waitFor({ state: 'detached' })
    assert.equal(await page.getByText('created the signer “before”').count(), 1, 'nothing is there twice')
  },
)

test('the overview shows sign-ins, refusals, signers, sessions and events as they are', needsBrowser, async () => {
  const { page, complaints, signIn: enter } = await stage().open()
  await enter()
  await page.getByText('Live', { exact: true }).waitFor()
  const summary = await stage().controller.request('GET', '/edge/management/v1/summary', { session: stage().session })
  const sessions = page.getByRole('link', { name: 'Sessions', exact: true }).locator('..')
  await sessions.getByText(String(summary.json.data.apiSessions), { exact: true }).waitFor()
  await page.getByRole('region', { name: 'Signers' }).getByText('Good').first().waitFor()
  const refusals = page.getByRole('region', { name: 'Refusals by reason' })
  assert.equal((await signIn({ username: 'admin', password: 'wrong again' })).status, 401)
  const reason = refusals.getByRole('link', { name: 'wrong-password' })
  await reason.waitFor()
  await refusals.getByRole('progressbar', { name: /^wrong-password: \d+$/ }).waitFor()
  const minutes = page.getByRole('table', { name: 'Sign-ins per minute' })
  await minutes.waitFor({ state: 'attached' })
  const rows = await minutes.locator('tbody tr').evaluateAll((all) => all.map((row) => row.textContent ?? ''))
  assert.equal(rows.length, 30)
  assert.ok(
    rows.some((row) => !row.endsWith('00')),
    'some minute has sign-ins',
  )
  await page.getByRole('region', { name: 'Recent events' }).getByText('admin signed in by password').first().waitFor()
  await reason.click()
  await page.getByRole('heading', { name: 'Decisions' }).waitFor()
  await page.getByRole('cell', { name: 'wrong-password' }).first().waitFor()
  assert.deepEqual(complaints, [])
})
