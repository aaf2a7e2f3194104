import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { needsBrowser } from '../browser/launch-browser.ts'
import { useConsole } from './console-stage.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const stage = useConsole()

/** A receiver of webhooks whose next responses have the status of `respond`. */
async function startReceiver(onEnd: (end: () => void) => void) {
  const received: string[] = []
  let status = 200
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    request.on('end', () => {
      if (status < 300) received.push(body)
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const respond = (next: number): void => {
    status = next
  }
  return { url: `http://127.0.0.1:${port}/in`, received, respond }
}

test(
  'a sink is added, tested and edited, and its page says whether events arrive and from where they are sent again',
  needsBrowser,
  async (t) => {
    const receiver = await startReceiver((end) => t.after(end))
    const { page, pageErrors, settle, goAsAdmin } = await stage().open()
    await goAsAdmin('sinks')
    await page.getByRole('link', { name: 'Add a sink' }).click()
    // The list page has a field of the same name.
    await page.getByRole('heading', { level: 1, name: 'Add an event sink' }).waitFor()
    await page.getByLabel('Name').fill('console-siem')
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByRole('textbox', { name: 'Secret' }).fill('whsec_short')
    await page.getByRole('button', { name: 'Add the sink' }).click()
    await page.getByText('base64 of 24 to 64 bytes').waitFor()
    await page.getByRole('textbox', { name: 'Secret' }).fill(SECRET)
    await page.getByRole('button', { name: 'Add the sink' }).click()
    await page.getByRole('heading', { name: 'console-siem' }).waitFor()
    const deliveries = page.getByRole('region', { name: 'Deliveries' })
    await deliveries.getByText('Delivering').waitFor()
    assert.equal((await page.content()).includes(SECRET), false)

    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText('The test event was delivered').waitFor()
    assert.ok(receiver.received.some((body) => JSON.parse(body).event_type === 'test'))

    receiver.respond(503)
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText('The test event was not delivered').waitFor()
    await stage().manage('POST', '/identities', { name: 'console-sink-down', type: 'Default', isAdmin: false })
    await page.getByText('The last delivery failed').waitFor()
    await page.getByText('HTTP 503').first().waitFor()
    await deliveries.getByText('Failing').waitFor()

    receiver.respond(200)
    await deliveries.getByText('Delivering').waitFor()
    await page.getByText('The last delivery failed').waitFor({ state: 'detached' })
    const before = receiver.received.length
    await page.getByLabel('Replay from position').fill('1')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('Events are sent to “console-siem” again.').waitFor()
    await settle()
    const ids = () => receiver.received.slice(before).map((body) => JSON.parse(body).event_id)
    const first = receiver.received.slice(0, before).map((body) => JSON.parse(body).event_id)
    const until = Date.now() + 30_000
    while (!ids().some((id) => first.includes(id)) && Date.now() < until) await page.waitForTimeout(100)
    assert.ok(
      ids().some((id) => first.includes(id)),
      'the same event again, with its id',
    )
    assert.deepEqual(pageErrors, [])
  },
)

test(
  'the change history says who changed what, when and from where, with the values before and after',
  needsBrowser,
  async () => {
    const body = { name: 'history-before', type: 'Default', isAdmin: false }
    const { id } = await stage().manage('POST', '/identities', body)
    await stage().manage('PATCH', `/identities/${id}`, { name: 'history-after' })
    const { page, pageErrors, goAsAdmin } = await stage().open()
    await goAsAdmin(`identities/${id}`)
    await page.getByRole('link', { name: 'History', exact: true }).click()
    await page.getByRole('heading', { name: 'Change history' }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'identity.patch' })
    await row.getByText('admin').waitFor()
    await row.getByText('history-after').waitFor()
    await row.getByRole('link', { name: 'identity.patch' }).click()
    await page.getByRole('heading', { name: 'identity.patch' }).waitFor()
    const entry = page.getByRole('region', { name: 'Entry' })
    for (const text of ['admin', '127.0.0.1', 'history-after'])
      await entry.getByText(text, { exact: true }).first().waitFor()
    const changed = page.getByRole('region', { name: 'What changed' }).getByRole('row').filter({ hasText: 'name' })
    await changed.getByText('history-before').first().waitFor()
    await changed.getByText('history-after').first().waitFor()
    assert.deepEqual(pageErrors, [])
  },
)
