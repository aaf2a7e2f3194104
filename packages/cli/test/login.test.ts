import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { createControllerStage } from '@countersign/testkit'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })
const started = stage.start()

/** Somebody at a terminal who answers what is asked, in this order. */
async function setUp(t: TestContext, answers: readonly string[]) {
  const { ready } = await started
  const home = mkdtempSync(join(tmpdir(), 'countersign-login-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config') }
  const left = [...answers]
  const asked: string[] = []
  const input = {
    isInteractive: true,
    ask: async (question: string, { secret = false } = {}) => {
      asked.push(secret ? `${question}(hidden)` : question)
      return left.shift() ?? assert.fail(`asked too much: ${question}`)
    },
  }
  const run = (words: readonly string[]) => runCaptured(words, { env, input, isTTY: true })
  const readProfile = () => JSON.parse(readFileSync(join(home, 'config/countersign/profiles/default.json'), 'utf8'))
  return { url: ready.baseUrl, caFile: ready.caFile, password: ready.admin.password ?? '', asked, run, readProfile }
}

test('Q-23 the first login shows the fingerprint of the CA and asks; a later one does not', async (t) => {
  const { password } = (await started).ready.admin
  const { url, caFile, run, asked, readProfile } = await setUp(t, ['y', password ?? '', password ?? ''])
  const { exitCode, stderr, stdout } = await run(['login', url, '--username', 'admin'])
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}\n/)
  assert.equal(stdout, `signed in to ${url} as admin\n`)
  assert.ok(readFileSync(caFile, 'utf8').includes(readProfile().caPem.trim()), 'the root of the controller is pinned')
  assert.deepEqual(asked, ['Trust it from now on? [y/N] ', 'Password of admin: (hidden)'])
  assert.equal((await run(['login', url, '--username', 'admin'])).exitCode, 0)
  assert.equal(asked.length, 3)
})

test('Q-23 whoever says no sends no password', async (t) => {
  const { url, run, asked } = await setUp(t, ['n'])
  const { exitCode, stderr } = await run(['login', url, '--username', 'admin'])
  assert.equal(exitCode, 4)
  assert.match(stderr, /not trusted/)
  assert.deepEqual(asked, ['Trust it from now on? [y/N] '])
})

test('Q-23 --yes trusts on a terminal, with the fingerprint shown', async (t) => {
  const { password } = (await started).ready.admin
  const { url, run, asked } = await setUp(t, [password ?? ''])
  const { exitCode, stderr } = await run(['login', url, '--username', 'admin', '--yes'])
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /SHA-256 /)
  assert.deepEqual(asked, ['Password of admin: (hidden)'])
})

test('without a way to sign in a person is asked for his name, and a delete for a yes', async (t) => {
  const { password } = (await started).ready.admin
  const { url, caFile, run, asked } = await setUp(t, ['admin', password ?? '', 'no', 'yes'])
  assert.equal((await run(['login', url, '--ca-file', caFile])).exitCode, 0)
  assert.equal((await run(['identities', 'create', 'gone'])).exitCode, 0)
  assert.equal((await run(['identities', 'delete', 'gone'])).exitCode, 1)
  assert.equal((await run(['identities', 'show', 'gone'])).exitCode, 0)
  assert.equal((await run(['identities', 'delete', 'gone'])).exitCode, 0)
  assert.equal((await run(['identities', 'show', 'gone'])).exitCode, 5)
  assert.deepEqual(asked.slice(0, 2), ['User name: ', 'Password of admin: (hidden)'])
})

test('colours are for a person, and not for one who wants none', async (t) => {
  const { password } = (await started).ready.admin
  const { url, caFile, run } = await setUp(t, [password ?? ''])
  await run(['login', url, '--ca-file', caFile, '--username', 'admin'])
  const { stdout } = await run(['doctor'])
  assert.ok(stdout.includes('\x1b[32m✔ \x1b[0mprofile'), stdout)
})

for (const [words, says] of [
  [['--cert', 'a'], /--cert needs --key/],
  [['--jwt', 'a', '--username', 'b'], /exclude each other/],
  [['--jwt', 'none'], /none does not exist/],
] as const) {
  test(`"login ${words.join(' ')}" is refused before anything is sent`, async (t) => {
    const { url, caFile, run } = await setUp(t, [])
    const { exitCode, stderr } = await run(['login', url, '--ca-file', caFile, ...words])
    assert.ok(exitCode === 2 || exitCode === 1, stderr)
    assert.match(stderr, says)
  })
}

test('an address that is not https, or holds a password, is refused', async (t) => {
  const { run } = await setUp(t, [])
  for (const url of ['http://127.0.0.1:1', 'https://user:pass@127.0.0.1:1', 'https://']) {
    const { exitCode, stderr } = await run(['login', url, '--username', 'admin'])
    assert.equal(exitCode, 2, stderr)
    assert.ok(!stderr.includes('pass@'), stderr)
  }
})
