import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadSealing } from '../../../src/platform/keys/load-sealing.ts'
import { createSealing } from '../../../src/platform/keys/sealing.ts'
import { createDataDir } from './key-material.fixture.ts'

const MISMATCH = { code: 'SEALING_KEY_MISMATCH' }
const SECRET = 'a secret in Straße 日本'

test('R-13 a sealed value opens with the same key and purpose, and reveals nothing of the secret', () => {
  const sealing = createSealing(randomBytes(32))
  const sealed = sealing.seal(SECRET, 'totp a')
  assert.equal(sealing.open(sealed, 'totp a'), SECRET)
  assert.ok(!sealed.includes('secret'))
  assert.notEqual(sealing.seal(SECRET, 'totp a'), sealed, 'equal secrets look different')
  assert.equal(sealing.open(sealing.seal('', 'x'), 'x'), '')
})

test('R-13 another key, another purpose or a changed value does not open', () => {
  const key = randomBytes(32)
  const sealing = createSealing(key)
  const sealed = sealing.seal(SECRET, 'totp a')
  assert.throws(() => createSealing(randomBytes(32)).open(sealed, 'totp a'), MISMATCH)
  assert.throws(() => sealing.open(sealed, 'totp b'), MISMATCH)
  const [version, keyId, content = ''] = sealed.split('.')
  const bytes = Buffer.from(content, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    assert.throws(() => sealing.open(`${version}.${keyId}.${changed.toString('base64url')}`, 'totp a'), MISMATCH)
  }
  for (const broken of ['', '..', `${version}.${keyId}.`, `${version}.${keyId}.AAAA`, `${version}.${keyId}`]) {
    assert.throws(() => sealing.open(broken, 'totp a'), MISMATCH, broken)
  }
  assert.equal(createSealing(Buffer.from(key)).open(sealed, 'totp a'), SECRET)
})

test('the error for the log names both keys and what to do, and never the value', () => {
  const [one, other] = [createSealing(randomBytes(32)), createSealing(randomBytes(32))]
  const sealed = one.seal(SECRET, 'x')
  assert.throws(
    () => other.open(sealed, 'x'),
    (error: Error) => {
      const { message } = error.cause as Error
      assert.ok(message.includes(one.keyId) && message.includes(other.keyId) && message.includes('sealingKey'))
      assert.ok(!message.includes(sealed))
      return true
    },
  )
})

test('R-13 the first start creates a key that only its owner can read, and later starts keep it', async (t) => {
  const dir = join(await createDataDir(t), 'keys')
  await mkdir(dir, { mode: 0o700 })
  const first = await loadSealing({ dir, configured: null })
  const file = join(dir, 'sealing.key')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.match(await readFile(file, 'utf8'), /^[0-9a-f]{64}\n$/)
  const again = await loadSealing({ dir, configured: null })
  assert.equal(again.open(first.seal(SECRET, 'x'), 'x'), SECRET)
  await rm(file)
  assert.notEqual((await loadSealing({ dir, configured: null })).keyId, first.keyId)
})

test('nodes with the same configured key read each other’s values, and no file is created', async (t) => {
  const [here, there] = [await createDataDir(t), await createDataDir(t)]
  const configured = randomBytes(32).toString('hex')
  const one = await loadSealing({ dir: here, configured })
  const two = await loadSealing({ dir: there, configured: configured.toUpperCase() })
  assert.equal(two.open(one.seal(SECRET, 'x'), 'x'), SECRET)
  await assert.rejects(stat(join(here, 'sealing.key')), { code: 'ENOENT' })
})

test('a key file that others can read, or without a key, prevents the start with its name', async (t) => {
  const dir = await createDataDir(t)
  const file = join(dir, 'sealing.key')
  await writeFile(file, `${'a'.repeat(63)}\n`, { mode: 0o600 })
  await assert.rejects(loadSealing({ dir, configured: null }), {
    name: 'StartupError',
    message: /sealing\.key holds no/,
  })
  await writeFile(file, `${'a'.repeat(64)}\n`)
  await loadSealing({ dir, configured: null })
  await chmod(file, 0o640)
  await assert.rejects(loadSealing({ dir, configured: null }), { name: 'StartupError', message: /read by others/ })
})
