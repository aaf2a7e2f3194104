import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { findLeafFault, findPemBlocks, issuerKeyIdOf, readLeafCertificate } from '@countersign/core'
import { makeTestCsr } from '@countersign/testkit'
import { createClientCertificates, issuersOf } from '../../src/platform/keys/client-certificates.ts'
import { loadKeyMaterial } from '../../src/platform/keys/load-key-material.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import { rollOverCa } from '../../src/process/roll-over-ca.ts'
import { shareAuthority } from '../../src/process/shared-authority.ts'
import { DATABASES, openTestStore, stopPostgres } from '../store/open-test-stores.ts'

after(stopPostgres)

const DAY_MS = 86_400_000
const START = Date.parse('2026-01-01T00:00:00Z')
const plan = { rolloverDays: 365, overlapDays: 30, clientDays: 365 }

function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-rollover-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  let day = 0
  const setDay = (next: number): void => {
    day = next
  }
  const now = () => new Date(START + day * DAY_MS)
  const dirOf = (name: string) => join(folder, name)
  const load = (name = 'keys') => loadKeyMaterial({ dir: dirOf(name), hosts: ['localhost'], now, plan })
  return { dirOf, now, load, setDay }
}

const namesIn = (pem: string) =>
  (findPemBlocks(pem, 'CERTIFICATE') ?? []).map((der) => new X509Certificate(der).subject.split('CN=')[1])

test('J-29 the next intermediate is published before it issues, and the old one is accepted afterwards', async (t) => {
  const { dirOf, now, load, setDay } = setUp(t)
  const dir = dirOf('keys')
  const first = await load()
  const issueWith = async () => {
    const keys = await load()
    const issuing = createClientCertificates({
      keys: () => keys,
      clock: { now: () => now().getTime() },
      clientDays: 365,
    })
    const { certPem } = await issuing.issue(makeTestCsr().pem, 'id')
    return readLeafCertificate(findPemBlocks(certPem, 'CERTIFICATE')?.[0] ?? Buffer.alloc(0)) ?? assert.fail()
  }
  const old = await issueWith()
  for (const day of [0, 334]) {
    setDay(day)
    await rollOverCa({ dir, plan, now: now() })
    assert.equal((await load()).caBundlePem, first.caBundlePem, `nothing is due on day ${day}`)
  }

  setDay(335)
  await rollOverCa({ dir, plan, now: now() })
  const announced = await load()
  assert.equal(namesIn(announced.caBundlePem).length, 3)
  assert.ok(announced.caBundlePem.startsWith(first.caBundlePem), 'clients keep what they trust')
  assert.deepEqual(announced.issuer?.certificate, first.issuer?.certificate, 'the old one issues during the overlap')
  assert.ok(new X509Certificate(announced.tls.cert).checkIssued(new X509Certificate(first.issuer?.certificate ?? '')))

  setDay(366)
  await rollOverCa({ dir, plan, now: now() })
  const rolled = await load()
  assert.equal(rolled.caBundlePem, announced.caBundlePem)
  const next = rolled.issuer ?? assert.fail()
  assert.notDeepEqual(next.certificate, first.issuer?.certificate)
  assert.equal(findLeafFault(await issueWith(), rolled.authorities), undefined)
  assert.equal(findLeafFault(old, rolled.authorities), undefined, 'certificates of the old one log in')
  assert.ok(new X509Certificate(rolled.tls.cert).checkIssued(new X509Certificate(next.certificate)))
  assert.deepEqual(
    issuersOf(rolled).map(issuerKeyIdOf),
    [next, first.issuer ?? assert.fail()].map(issuerKeyIdOf),
    'both sign their lists of revoked certificates',
  )
  const leaf = await issueWith()
  assert.equal(leaf.parsed.notAfter.getTime(), now().getTime() + 365 * DAY_MS, 'it outlives what it issues')

  setDay(366 + 3 * 365)
  for (let roll = 0; roll < 2; roll++) await rollOverCa({ dir, plan, now: now() })
  assert.equal(namesIn((await load()).caBundlePem).length, 3, 'expired ones are left out')
})

test('J-29 without the key of the root nothing is created, and with 0 days nothing is due', async (t) => {
  const { dirOf, now, load, setDay } = setUp(t)
  const dir = dirOf('keys')
  const { caBundlePem } = await load()
  setDay(400)
  assert.deepEqual(await rollOverCa({ dir, plan: { ...plan, rolloverDays: 0 }, now: now() }), {
    isRootKeyMissing: false,
  })
  await rm(join(dir, 'root.key'))
  assert.deepEqual(await rollOverCa({ dir, plan, now: now() }), { isRootKeyMissing: true })
  assert.equal((await load()).caBundlePem, caBundlePem)
})

test('J-29 an intermediate of another root, or with another key, is refused at start', async (t) => {
  const { dirOf, now, load, setDay } = setUp(t)
  await load()
  await load('other')
  setDay(340)
  for (const name of ['keys', 'other']) await rollOverCa({ dir: dirOf(name), plan, now: now() })
  const file = join(dirOf('keys'), 'intermediates.pem')
  const own = await readFile(file, 'utf8')
  const other = await readFile(join(dirOf('other'), 'intermediates.pem'), 'utf8')
  const [certificate, otherKey] = [own.split('-----BEGIN PRIVATE')[0], other.split('-----BEGIN PRIVATE')[1]]
  for (const wrong of [other, `${certificate}-----BEGIN PRIVATE${otherKey}`, certificate ?? '', 'nonsense']) {
    await writeFile(file, wrong)
    await assert.rejects(
      load(),
      (error) => error instanceof StartupError && error.message.includes('intermediates.pem'),
    )
  }
  await writeFile(file, own)
  assert.ok(await load())
})

for (const database of DATABASES) {
  test(`J-29 on ${database} nodes that share a CA agree on its next intermediate`, async (t) => {
    const { dirOf, now, load, setDay } = setUp(t)
    const store = await openTestStore(t, database)
    const shared = { store, sealing: createSealing(Buffer.alloc(32, 1)) }
    const start = async (name: string) => {
      await shareAuthority({ ...shared, dir: dirOf(name), now: now().getTime() })
      return rollOverCa({ dir: dirOf(name), plan, now: now(), shared })
    }
    await start('one')
    await start('two')
    await cp(dirOf('one'), dirOf('copy'), { recursive: true })
    setDay(340)
    assert.deepEqual(await start('two'), { isRootKeyMissing: true })
    await Promise.all([start('one'), start('copy')])
    assert.deepEqual(await start('two'), { isRootKeyMissing: false })
    await start('later')
    const bundles = await Promise.all(
      ['one', 'copy', 'two', 'later'].map(async (name) => (await load(name)).caBundlePem),
    )
    assert.equal(namesIn(bundles[0] ?? '').length, 3)
    assert.deepEqual(new Set(bundles).size, 1)
    setDay(370)
    const issuers = await Promise.all(['one', 'copy', 'two', 'later'].map(async (name) => (await load(name)).issuer))
    assert.equal(new Set(issuers.map((issuer) => issuer && issuerKeyIdOf(issuer))).size, 1)
    const stored = await store.db.selectFrom('settings').selectAll().execute()
    assert.ok(!JSON.stringify(stored).includes('PRIVATE KEY'), 'keys are sealed')
  })
}
