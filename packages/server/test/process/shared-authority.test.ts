import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { copyFile, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { createAuthority } from '../../src/platform/keys/certificate-authority.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import { shareAuthority } from '../../src/process/shared-authority.ts'
import { DATABASES, openTestStore, stopPostgres } from '../store/open-test-stores.ts'

after(stopPostgres)

const OLD = new Date('2026-01-01')
const NEW = new Date('2027-01-01')
const FILES = ['ca.pem', 'intermediate.crt', 'intermediate.key']

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-shared-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

for (const database of DATABASES) {
  test(`on ${database} nodes that share a CA change to another one by one, and no unknown CA is accepted`, async (t) => {
    const store = await openTestStore(t, database)
    const sealing = createSealing(Buffer.alloc(32, 1))
    const folder = makeFolder(t)
    const dirOf = (name: string) => join(folder, name)
    const start = (name: string) => shareAuthority({ store, sealing, dir: dirOf(name), now: OLD.getTime() })
    const caOf = (name: string) => readFile(join(dirOf(name), 'ca.pem'), 'utf8')
    const announce = (ca: string, to: string) => copyFile(join(dirOf(ca), 'ca.pem'), join(dirOf(to), 'further-cas.pem'))
    const changeOver = async (name: string) => {
      for (const file of FILES) await copyFile(join(dirOf('next'), file), join(dirOf(name), file))
    }
    const isRefused = (name: string) =>
      assert.rejects(start(name), (error) => error instanceof StartupError && error.message.includes('is not the one'))

    for (const node of ['one', 'two', 'old']) await start(node)
    const old = await caOf('one')
    await createAuthority(dirOf('next'), NEW)
    await isRefused('next')

    for (const node of ['one', 'two']) await announce('next', node)
    for (const node of ['one', 'two']) await start(node)
    await start('three')
    assert.equal(await caOf('three'), old, 'an announced CA is not active yet')

    await changeOver('one')
    await isRefused('one')
    await announce('old', 'one')
    await start('one')
    // A restart before the change keeps the old CA and undoes nothing.
    await start('two')
    assert.equal(await caOf('two'), old)
    await start('four')
    assert.equal(await caOf('four'), await caOf('next'), 'a new node uses the new CA')
    await isRefused('old')

    await changeOver('two')
    await announce('old', 'two')
    await start('two')
    for (const node of ['one', 'two']) await rm(join(dirOf(node), 'further-cas.pem'))
    for (const node of ['one', 'two', 'four']) await start(node)
  })
}
