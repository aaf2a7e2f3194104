import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { createAuthority } from '../../src/platform/keys/certificate-authority.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { checkPostgresBackup } from '../../src/process/check-backup.ts'
import { shareAuthority } from '../../src/process/shared-authority.ts'
import { openStore } from '../../src/store/open-store.ts'
import { newPostgresDatabase } from '../http/test-postgres.ts'
import { stopPostgres } from '../store/open-test-stores.ts'
import { startTestWriter } from '../store/test-writer.ts'

after(stopPostgres)

const KEY = Buffer.alloc(32, 5)

/** A plain dump: by `pg_dump` where there is one, else in its form. */
async function dumpOf(url: string, settings: readonly { readonly name: string; readonly value: string }[]) {
  const { status, stdout } = spawnSync('pg_dump', ['--format=plain', url], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status === 0) return stdout
  const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  const rows = settings.map(({ name, value }) => `${name}\t${escaped(value)}`)
  return [
    'COPY public.schema_migrations (version, name, applied_at) FROM stdin;\n1\tinitial\t1\n\\.\n',
    `COPY public.settings (name, value) FROM stdin;\n${rows.join('\n')}\n\\.\n`,
    '-- PostgreSQL database dump complete\n',
  ].join('\n')
}

async function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-backup-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const url = await newPostgresDatabase()
  const store = await openStore({
    database: url,
    sqliteFile: '',
    startWriter: startTestWriter,
    nodeId: 'node',
    now: 1,
    isShared: false,
    onWarning: () => {},
    onFatal: () => {},
  })
  t.after(() => store.close())
  const keys = join(folder, 'node-keys')
  await shareAuthority({ store, sealing: createSealing(KEY), dir: keys, now: Date.now() })
  const backup = join(folder, 'backup')
  await mkdir(join(backup, 'keys'), { recursive: true })
  const dump = await dumpOf(url, await store.db.selectFrom('settings').selectAll().execute())
  await writeFile(join(backup, 'database.sql'), dump)
  await writeFile(join(backup, 'sealing.key'), `${KEY.toString('hex')}\n`)
  for (const file of ['ca.pem', 'root.key']) await copyFile(join(keys, file), join(backup, 'keys', file))
  const result = async () => (await checkPostgresBackup(backup)).map(({ check, ok }) => `${ok ? '' : 'not '}${check}`)
  return { folder, backup, dump, result }
}

const WHOLE = ['dump', 'sealing key', 'CA', 'root key']

test('S-20 a backup for PostgreSQL is a dump with its sealing key and its CA; what is missing or of another controller is named', async (t) => {
  const { folder, backup, dump, result } = await setUp(t)
  assert.deepEqual(await result(), WHOLE)
  const check = async (file: string, content: string | undefined, expected: readonly string[]) => {
    const path = join(backup, file)
    await copyFile(path, join(folder, 'kept'))
    if (content === undefined) await rm(path)
    else await writeFile(path, content)
    assert.deepEqual(await result(), expected, `${file}: ${content?.slice(0, 20)}`)
    await copyFile(join(folder, 'kept'), path)
    assert.deepEqual(await result(), WHOLE)
  }
  await check('database.sql', undefined, ['not dump'])
  await check('database.sql', dump.slice(0, -100), ['not dump', 'sealing key', 'CA', 'root key'])
  await check('database.sql', '-- PostgreSQL database dump complete\n', ['not dump', 'sealing key', 'CA', 'root key'])
  await check('sealing.key', undefined, ['dump', 'not sealing key', 'CA', 'root key'])
  await check('sealing.key', 'ab'.repeat(32), ['dump', 'not sealing key', 'CA', 'root key'])
  await check('sealing.key', 'short', ['dump', 'not sealing key', 'CA', 'root key'])
  const other = join(folder, 'other')
  await createAuthority(other, new Date())
  const read = (file: string) => readFile(join(other, file), 'utf8')
  await check('keys/ca.pem', await read('ca.pem'), ['dump', 'sealing key', 'not CA', 'not root key'])
  await check('keys/root.key', await read('root.key'), ['dump', 'sealing key', 'CA', 'not root key'])
  await check('keys/root.key', undefined, WHOLE)
})
