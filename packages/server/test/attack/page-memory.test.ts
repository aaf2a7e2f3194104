import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createControllerStage } from '@countersign/testkit'

const IDENTITIES = '/edge/management/v1/identities'
const PASSWORD = 'the-attack-test-password'
/** The rows of a page have 3 MB. */
const ROWS = 100
/** All of these together have many times what the heap has room for. */
const PAGES = 60
const HEAP_MB = 110

test('M-15 of many large pages at once few have rows in memory', async (t) => {
  const controller = await createControllerStage(t).start({
    nodeOptions: [`--max-old-space-size=${HEAP_MB}`],
    env: { COUNTERSIGN_ADMIN_PASSWORD: PASSWORD },
  })
  const session = await controller.logIn(PASSWORD)
  const tags = Object.fromEntries(Array.from({ length: 8 }, (_, nth) => [`t${nth}`, 'x'.repeat(2_000)]))
  for (let nth = 0; nth < ROWS; nth += 1) {
    const body = { name: `large-${nth}`, type: 'Default', isAdmin: false, tags, appData: tags }
    const created = await controller.request('POST', IDENTITIES, { session, body })
    assert.equal(created.status, 201, created.text)
  }
  const readPage = async () => {
    const { status, json } = await controller.request('GET', `${IDENTITIES}?limit=500`, { session })
    return [status, json.data?.length]
  }
  const alone = await readPage()
  assert.deepEqual(alone, [200, ROWS + 1])
  const pages = await Promise.all(Array.from({ length: PAGES }, readPage))
  assert.deepEqual(pages, Array(PAGES).fill(alone))
})
