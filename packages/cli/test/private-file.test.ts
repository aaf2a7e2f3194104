import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CliError } from '../src/cli-error.ts'
import {
  ensurePrivateFolder,
  readPrivateFile,
  reservePrivateFile,
  writePrivateFile,
  writePrivateFileIn,
} from '../src/files/private-file.ts'
import { withSecretFiles } from '../src/files/secret-files.ts'
import { createTerminal } from '../src/terminal.ts'

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-private-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const modeOf = (path: string) => statSync(path).mode & 0o777

for (const umask of [0o000, 0o022, 0o077, 0o777]) {
  test(`Q-20 under umask ${umask.toString(8).padStart(3, '0')} a secret is written with mode 600 in a folder with mode 700`, (t) => {
    const folder = makeFolder(t)
    const path = join(folder, 'inner', 'secret.json')
    if (umask === 0o777) ensurePrivateFolder(join(folder, 'inner'))
    const before = process.umask(umask)
    try {
      writePrivateFileIn(path, 'first')
      writePrivateFileIn(path, 'second')
    } finally {
      process.umask(before)
    }
    assert.deepEqual([modeOf(path), modeOf(join(folder, 'inner'))], [0o600, 0o700])
    assert.equal(readPrivateFile(path), 'second')
    assert.deepEqual(readdirSync(join(folder, 'inner')), ['secret.json'], 'no partial file is left')
  })
}

test('Q-20 a private file that is written in parts appears with all of them, and not at all when one is missing', (t) => {
  const folder = makeFolder(t)
  const path = join(folder, 'secret')
  for (const isWhole of [false, true]) {
    const file = reservePrivateFile(path, { replace: true })
    file.begin('one ')
    file.begin('two ')
    assert.equal(existsSync(path), false)
    if (isWhole) file.write('three')
    file.release()
    assert.deepEqual(readdirSync(folder), isWhole ? ['secret'] : [])
  }
  assert.equal(readPrivateFile(path), 'one two three')
  assert.equal(modeOf(path), 0o600)
})

test('Q-20 a file that others can read is neither read nor written; one with mode 600 is', (t) => {
  const path = join(makeFolder(t), 'secret')
  writeFileSync(path, 'kept', { mode: 0o600 })
  for (const mode of [0o644, 0o640, 0o604, 0o622]) {
    chmodSync(path, mode)
    assert.throws(() => writePrivateFile(path, 'new'), CliError)
    assert.throws(() => readPrivateFile(path), CliError)
  }
  chmodSync(path, 0o600)
  assert.equal(readPrivateFile(path), 'kept')
  writePrivateFile(path, 'new')
  assert.equal(readPrivateFile(path), 'new')
})

test('Q-20 symbolic links are followed neither for reading nor for writing', (t) => {
  const folder = makeFolder(t)
  const [target, link] = [join(folder, 'target'), join(folder, 'link')]
  writeFileSync(target, 'kept', { mode: 0o600 })
  symlinkSync(target, link)
  assert.throws(() => writePrivateFile(link, 'new'), CliError)
  assert.throws(() => readPrivateFile(link), CliError)
  assert.equal(readFileSync(target, 'utf8'), 'kept')
  assert.equal(readPrivateFile(target), 'kept')
})

test('Q-20 a folder that is accessible to others, or a link, is refused; one with mode 700 is not', (t) => {
  const folder = makeFolder(t)
  const [open, link] = [join(folder, 'open'), join(folder, 'link')]
  mkdirSync(open)
  symlinkSync(open, link)
  for (const mode of [0o777, 0o755, 0o710]) {
    chmodSync(open, mode)
    assert.throws(() => writePrivateFileIn(join(open, 'secret'), 'new'), CliError)
  }
  chmodSync(open, 0o700)
  assert.throws(() => writePrivateFileIn(join(link, 'secret'), 'new'), CliError)
  writePrivateFileIn(join(open, 'secret'), 'new')
  assert.equal(readPrivateFile(join(open, 'secret')), 'new')
})

test('a reserved file appears when it is written, and leaves nothing when it is not', (t) => {
  const folder = makeFolder(t)
  const [written, unused] = ['written', 'unused'].map((name) =>
    reservePrivateFile(join(folder, name), { replace: false }),
  )
  assert.ok(!existsSync(join(folder, 'written')))
  written?.write('secret')
  for (const file of [written, unused]) file?.release()
  assert.deepEqual(readdirSync(folder), ['written'])
  assert.equal(readPrivateFile(join(folder, 'written')), 'secret')
  assert.equal(modeOf(join(folder, 'written')), 0o600)
})

test('an existing file is replaced only with replace, also when it was created after the reservation', (t) => {
  const path = join(makeFolder(t), 'secret')
  const reserved = reservePrivateFile(path, { replace: false })
  writeFileSync(path, 'of another process', { mode: 0o600 })
  assert.throws(() => reserved.write('new'), /exists already/)
  reserved.release()
  assert.throws(() => reservePrivateFile(path, { replace: false }), /exists already/)
  assert.equal(readPrivateFile(path), 'of another process')
  const other = reservePrivateFile(path, { replace: true })
  other.write('new')
  other.release()
  assert.equal(readPrivateFile(path), 'new')
})

/** Runs withSecretFiles and collects stderr. */
function makeSecretRun() {
  const printed: string[] = []
  const terminal = createTerminal({ write: () => {} }, { write: (text) => printed.push(text) }, {})
  const run = (paths: readonly string[], replace: boolean, beforeSave: () => void = () => {}) =>
    withSecretFiles({ terminal }, { paths, replace }, async (save) => {
      printed.push('done\n')
      beforeSave()
      save(...paths.map((_, index) => `secret ${index}\n`))
    })
  return { run, printed: () => printed.join('') }
}

test('the work does not run when a secret cannot be written; with writable files it does', async (t) => {
  const folder = makeFolder(t)
  const [good, open, link, inner] = ['good', 'open', 'link', 'inner'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ]
  writeFileSync(open, 'kept')
  chmodSync(open, 0o644)
  symlinkSync(good, link)
  mkdirSync(inner)
  for (const bad of [open, link, inner, `${inner}/`, join(folder, 'absent', 'file'), join(open, 'file')]) {
    const { run, printed } = makeSecretRun()
    await assert.rejects(run([good, bad], true), Error, bad)
    assert.equal(printed(), '', bad)
    assert.deepEqual(readdirSync(folder).sort(), ['inner', 'link', 'open'], bad)
  }
  const { run, printed } = makeSecretRun()
  await run([good, join(inner, 'other')], true)
  assert.equal(printed(), 'done\n')
  assert.deepEqual([readPrivateFile(good), readPrivateFile(join(inner, 'other'))], ['secret 0\n', 'secret 1\n'])
})

test('a secret that cannot be written in the end is printed; the others are written', async (t) => {
  const folder = makeFolder(t)
  const [good, lost] = [join(folder, 'good'), join(folder, 'inner', 'lost')]
  mkdirSync(join(folder, 'inner'))
  const { run, printed } = makeSecretRun()
  const failed = run([good, lost], false, () => rmSync(join(folder, 'inner'), { recursive: true }))
  await assert.rejects(failed, (error: CliError) => {
    assert.equal(error.message, `cannot use ${lost}: it does not exist`)
    return true
  })
  assert.equal(printed(), `done\nThis is the content of ${lost}. It is not shown again:\nsecret 1\n`)
  assert.equal(readPrivateFile(good), 'secret 0\n')
})
