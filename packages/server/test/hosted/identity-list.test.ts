import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { identityList } from '../../src/http/hosted/identity-list.ts'
import { setUpHosted } from './hosted.fixture.ts'

const ROWS = 40

function spin(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('F-14 others have their turns of the event loop while a list is shown, and each organization shows one at a time', async () => {
  let turns = 0
  let isRunning = true
  const count = (): void => {
    turns += 1
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  const shown: string[] = []
  const list = (organizationId: string, name: string, identityId = 'one') =>
    identityList(
      { organizationId, identityId },
      async () => Array.from({ length: ROWS }, () => name),
      (row) => {
        spin(1)
        shown.push(row)
        return row
      },
    )
  const [first] = await Promise.all([list('acme', 'first'), list('acme', 'second'), list('other', 'third')])
  isRunning = false
  await nextTurn()
  assert.equal(first.text, `[${Array(ROWS).fill('"first"').join()}]\n`)
  // A turn takes five milliseconds of each organization.
  assert.ok(turns >= (2 * ROWS) / 6, String(turns))
  assert.ok(shown.lastIndexOf('first') < shown.indexOf('second'), shown.join())
  assert.ok(shown.indexOf('third') < shown.indexOf('second'), shown.join())
})

for (const path of ['/identity/v1/api-account-identities', '/identity/v1/identities']) {
  test(`the pages of ${path} are parts of the whole list, in its order`, async (t) => {
    const { app, createProvider, createAccount } = await setUpHosted(t)
    const providerId = await createProvider('cognito')
    for (const name of ['c', 'a', 'd', 'b', 'e']) await createAccount(providerId, name)
    const namesOf = async (query: string) => {
      const { json } = await app.admin('GET', `${path}?${query}`)
      return json.map(({ name }: { readonly name: string }) => name)
    }
    const whole = await namesOf('')
    assert.ok(whole.length >= 5)
    const pages: string[] = []
    for (let page = 0; page * 2 < whole.length; page++) pages.push(...(await namesOf(`page=${page}&size=2`)))
    assert.deepEqual(pages, whole)
    assert.deepEqual(await namesOf(`page=${whole.length}&size=2`), [])
    assert.deepEqual(await namesOf(`page=${Number.MAX_SAFE_INTEGER}&size=3000`), [])
  })
}
