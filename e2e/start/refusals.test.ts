import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type ControllerStage, createControllerStage, type LaunchOptions } from '@countersign/testkit'
import { findQuietPorts } from './quiet-ports.ts'
import { buildSignerBody, CLIENT_SIGNERS, SIGNERS } from './signer-body.ts'

test('a port or data directory in use is refused in one line, and its owner keeps running', async (t) => {
  const stage = createControllerStage(t)
  const [port, metricsPort, otherPort, otherMetricsPort] = await findQuietPorts(4)
  const other = join(stage.folder, 'other')
  const on = (main: number | undefined, metrics: number | undefined) => ({
    freePorts: false,
    args: ['--port', String(main), '--metrics-port', String(metrics)],
  })
  const owner = await stage.start(on(port, metricsPort))

  await assertRefused(stage, { ...on(port, otherMetricsPort), dataDir: other }, `port ${port}: the port is taken`)
  const metricsText = `port ${metricsPort} for metrics: the port is taken`
  await assertRefused(stage, { ...on(otherPort, metricsPort), dataDir: other }, metricsText)
  await assertRefused(stage, on(otherPort, otherMetricsPort), 'is in use by another controller')
  assert.equal((await owner.request('GET', '/version')).status, 200)
  assert.ok(await owner.logIn())

  const accepted = await stage.start({ ...on(otherPort, otherMetricsPort), dataDir: other })
  assert.ok(await accepted.logIn(), 'failed starts do not use up the password')
})

test('J-19 each fault of keys or database is refused in one line, and nothing is changed', async (t) => {
  const stage = createControllerStage(t)
  const first = await stage.start({ env: { COUNTERSIGN_ADMIN_PASSWORD: 'the first password' } })
  const session = await first.logIn()
  assert.equal((await first.request('POST', SIGNERS, { session, body: buildSignerBody('kept') })).status, 201)
  await first.stop()
  const dataDir = first.dataDir
  const path = (name: string) => join(dataDir, name)
  const good = digestOf(dataDir)

  const faults: readonly (readonly [text: string, file: string, damage: (file: string) => void])[] = [
    ['intermediate.key can be read by others', 'keys/intermediate.key', (file) => chmodSync(file, 0o644)],
    [
      'does not belong to its certificate',
      'keys/intermediate.key',
      (file) => copyFileSync(path('keys/root.key'), file),
    ],
    ['has schema version 99', 'countersign.db', writeNewerVersion],
    ['countersign.db: file is not a database', 'countersign.db', (file) => writeFileSync(file, 'x'.repeat(8192))],
  ]
  for (const [text, name, damage] of faults) {
    const file = path(name)
    const { mode } = statSync(file)
    const content = statSync(file).isFile() ? readFileSync(file) : undefined
    damage(file)
    const damaged = digestOf(dataDir)
    assert.notDeepEqual(damaged, good, `${text}: the fault has an effect`)
    await assertRefused(stage, {}, text)
    assert.deepEqual(digestOf(dataDir), damaged, `${text}: nothing was changed`)
    if (content) writeFileSync(file, content)
    chmodSync(file, mode & 0o777)
    assert.deepEqual(digestOf(dataDir), good, `${text}: repaired`)
  }

  const accepted = await stage.start()
  assert.equal(accepted.ready.admin.password, null)
  assert.equal((await accepted.request('GET', CLIENT_SIGNERS)).json.data[0].name, 'kept')
  assert.ok(await accepted.logIn('the first password'))
})

test('an unwritable data directory is refused in one line, and a later start there is a first one', async (t) => {
  const stage = createControllerStage(t)
  const parent = join(stage.folder, 'parent')
  const dataDir = join(parent, 'data')
  writeFileSync(parent, 'a file')
  const before = statSync(parent).mode
  for (const path of [parent, dataDir]) {
    await assertRefused(stage, { dataDir: path }, `cannot write to the data directory ${path}`)
    assert.equal(readFileSync(parent, 'utf8'), 'a file')
    assert.equal(statSync(parent).mode, before)
  }
  rmSync(parent)

  // A file size limit stands for a disk that is full from the start, or after the keys were written.
  for (const blocks of [0, 16]) await assertRefused(stage, { dataDir, before: `ulimit -f ${blocks}` }, dataDir)

  const accepted = await stage.start({ dataDir })
  assert.ok(await accepted.logIn())
})

test('an existing data directory keeps its files and its mode', async (t) => {
  const stage = createControllerStage(t)
  const dataDir = join(stage.folder, 'home')
  mkdirSync(dataDir, { mode: 0o755 })
  chmodSync(dataDir, 0o755)
  writeFileSync(join(dataDir, 'letter'), 'some text')
  const controller = await stage.start({ dataDir })
  assert.equal(readFileSync(join(dataDir, 'letter'), 'utf8'), 'some text')
  assert.equal(statSync(dataDir).mode & 0o777, 0o755)
  assert.equal((await controller.stop()).code, 0)
})

/** Starts a controller that must fail with one `error:` line that contains `text`, optionally a hint, and nothing else. */
async function assertRefused(stage: ControllerStage, options: LaunchOptions, text: string): Promise<void> {
  const refused = stage.launch(options)
  const { code } = await refused.exited
  // `starting…` appears on a slow machine.
  const lines = refused
    .stderr()
    .split('\n')
    .filter((line) => line !== '' && line !== 'starting…')
  const kinds = lines.map((line) => line.slice(0, line.indexOf(' ')))
  assert.equal(code, 1, `${text}: ${refused.stderr()}`)
  assert.ok(kinds.join() === 'error:' || kinds.join() === 'error:,hint:', `${text}: ${refused.stderr()}`)
  assert.ok(lines[0]?.includes(text), `${text}: ${refused.stderr()}`)
  assert.ok(!lines[0]?.includes('unexpected'), lines[0])
  assert.equal(refused.stdout(), '')
}

/** Mode and digest of every file in a directory. */
function digestOf(directory: string): Record<string, string> {
  const digests: Record<string, string> = {}
  for (const name of ['', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })].sort()) {
    const file = join(directory, name)
    const { mode } = statSync(file)
    const content = statSync(file).isFile() ? createHash('sha256').update(readFileSync(file)).digest('hex') : ''
    digests[name] = `${(mode & 0o777).toString(8)} ${content}`
  }
  return digests
}

function writeNewerVersion(file: string): void {
  const database = new DatabaseSync(file)
  database.exec("insert into schema_migrations (version, name, applied_at) values (99, 'of a later release', 0)")
  database.close()
}
