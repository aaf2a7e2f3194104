import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createControllerStage, type ReadyController, startPostgres } from '@countersign/testkit'
import { IDENTITIES, openConnections, until } from '../workers/worker-clients.ts'
import { enrollHolder, findFault, issuerOf, loginStatus } from './certificate-clients.ts'

const PASSWORD = 'the password of all nodes'
const AUTHENTICATORS = '/edge/management/v1/authenticators'
const CA_CERTIFICATES = '/.well-known/est/cacerts'
/** One intermediate issues for 40 days; the next is published 10 days before. */
const [ROLLOVER_DAYS, OVERLAP_DAYS] = [40, 10]
/** Days before now, so that OpenSSL, whose clock is right, accepts all certificates in the end. */
const [FIRST, PUBLISHED, ISSUING] = [60, 28, 0]
/** More than there are workers: each has one at least. */
const CONNECTIONS = 4
const CLOCK = new URL('shifted-clock.js', import.meta.url)

interface Deployment {
  readonly controllers: readonly ReadyController[]
  setDaysBehind(days: number): void
}

async function start(t: TestContext, kind: string): Promise<Deployment> {
  const stage = createControllerStage(t)
  const clockFile = join(stage.folder, 'days-behind')
  const setDaysBehind = (days: number): void => writeFileSync(clockFile, String(days))
  setDaysBehind(FIRST)
  const env = {
    NODE_OPTIONS: `--import=${CLOCK.href}`,
    CLOCK_FILE: clockFile,
    COUNTERSIGN_ADMIN_PASSWORD: PASSWORD,
    COUNTERSIGN_SEALING_KEY: 'a5'.repeat(32),
    COUNTERSIGN_CERTIFICATES_CA_ROLLOVER_DAYS: String(ROLLOVER_DAYS),
    COUNTERSIGN_CERTIFICATES_CA_OVERLAP_DAYS: String(OVERLAP_DAYS),
  }
  if (kind !== 'two nodes') {
    const workers = kind === 'two workers' ? ['--workers', '2'] : []
    return { controllers: [await stage.start({ env, args: workers })], setDaysBehind }
  }
  const postgres = await startPostgres()
  t.after(() => postgres.stop())
  const shared = { ...env, COUNTERSIGN_DATABASE: await postgres.createDatabase() }
  const one = await stage.start({ env: shared, dataDir: join(stage.folder, 'one') })
  const two = await stage.start({ env: shared, dataDir: join(stage.folder, 'two') })
  return { controllers: [one, two], setDaysBehind }
}

for (const kind of ['one process', 'two workers', 'two nodes']) {
  test(`J-25 J-26 J-29 with ${kind}, the next intermediate is published, then issues, while the old one's certificates work and both have a list`, async (t) => {
    const { controllers, setDaysBehind } = await start(t, kind)
    const [first = assert.fail()] = controllers
    const everywhere = controllers.flatMap((controller) =>
      openConnections(controller, CONNECTIONS).map((connection) => {
        t.after(() => connection.close())
        return { ...controller, request: connection.request } as ReadyController
      }),
    )
    const old = await enrollHolder(first, await first.logIn(PASSWORD))
    const caBefore = (await first.request('GET', CA_CERTIFICATES)).text

    setDaysBehind(PUBLISHED)
    for (const each of everywhere) {
      await until(async () => (await each.request('GET', CA_CERTIFICATES)).text !== caBefore, 'the next intermediate')
    }
    const published = new Set(
      await Promise.all(everywhere.map(async (each) => (await each.request('GET', CA_CERTIFICATES)).text)),
    )
    assert.equal(published.size, 1, 'all serve the same CA certificates')
    const overlap = await enrollHolder(first, await first.logIn(PASSWORD))
    assert.equal(issuerOf(overlap), issuerOf(old), 'the old one issues during the overlap')

    setDaysBehind(ISSUING)
    const session = await first.logIn(PASSWORD)
    const enrolled = []
    for (const each of everywhere) {
      let holder = await enrollHolder(each, session)
      await until(async () => {
        if (issuerOf(holder) !== issuerOf(old)) return true
        holder = await enrollHolder(each, session)
        return false
      }, 'a certificate of the new intermediate')
      enrolled.push(holder)
    }
    const [next = assert.fail(), removed = assert.fail()] = enrolled
    assert.equal(new Set(enrolled.map(issuerOf)).size, 1, 'all use the same')
    for (const each of everywhere) {
      assert.deepEqual([await loginStatus(each, old), await loginStatus(each, next)], [200, 200])
    }
    for (const each of controllers) {
      for (const holder of [old, overlap, next, removed]) assert.equal(await findFault(each, holder), undefined)
    }

    const disable = `${IDENTITIES}/${old.id}/disable`
    assert.equal((await first.request('POST', disable, { session, body: { durationMinutes: 0 } })).status, 200)
    assert.equal((await first.request('DELETE', `${IDENTITIES}/${overlap.id}`, { session })).status, 200)
    const filter = encodeURIComponent(`identity="${removed.id}"`)
    const { json } = await first.request('GET', `${AUTHENTICATORS}?filter=${filter}`, { session })
    const path = `${AUTHENTICATORS}/${json.data[0].id}`
    assert.equal((await first.request('DELETE', path, { session })).status, 200)
    for (const each of controllers) {
      for (const holder of [old, overlap, removed]) {
        await until(async () => (await findFault(each, holder)) === 'certificate revoked', 'the list')
      }
      assert.equal(await findFault(each, next), undefined)
    }
  })
}
