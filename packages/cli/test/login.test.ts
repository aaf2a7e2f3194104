import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { createControllerStage, currentOneTimeCode } from '@countersign/testkit'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })
const started = stage.start()

/** A user at a terminal who enters these replies in order. */
async function setUp(t: TestContext, replies: readonly (string | (() => string))[]) {
  const { ready } = await started
  const home = mkdtempSync(join(tmpdir(), 'countersign-login-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config') }
  const remaining = [...replies]
  const prompts: string[] = []
  const input = {
    isInteractive: true,
    ask: async (question: string, { secret = false } = {}) => {
      prompts.push(secret ? `${question}(hidden)` : question)
      const reply = remaining.shift() ?? assert.fail(`unexpected prompt: ${question}`)
      return typeof reply === 'string' ? reply : reply()
    },
  }
  const run = (words: readonly string[], onStderr?: (text: string) => void) =>
    runCaptured(words, { env, input, isTTY: true, ...(onStderr && { onStderr }) })
  const readProfile = () => JSON.parse(readFileSync(join(home, 'config/countersign/profiles/default.json'), 'utf8'))
  return {
    url: ready.baseUrl,
    caFile: ready.caFile,
    password: ready.admin.password ?? '',
    prompts,
    env,
    run,
    readProfile,
  }
}

test('Q-23 the first login shows the fingerprint of the CA and asks; a later one does not', async (t) => {
  const { password } = (await started).ready.admin
  const { url, caFile, run, prompts, readProfile } = await setUp(t, ['y', password ?? '', password ?? ''])
  const { exitCode, stderr, stdout } = await run(['login', url, '--username', 'admin'])
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}\n/)
  assert.equal(stdout, `logged in to ${url} as admin\n`)
  assert.ok(readFileSync(caFile, 'utf8').includes(readProfile().caPem.trim()), 'the root of the controller is pinned')
  assert.deepEqual(prompts, ['Trust it from now on? [y/N] ', 'Password of admin: (hidden)'])
  assert.equal((await run(['login', url, '--username', 'admin'])).exitCode, 0)
  assert.equal(prompts.length, 3)
})

test('Q-23 no password is sent when the CA is not trusted', async (t) => {
  const { url, run, prompts } = await setUp(t, ['n'])
  const { exitCode, stderr } = await run(['login', url, '--username', 'admin'])
  assert.equal(exitCode, 4)
  assert.match(stderr, /not trusted/)
  assert.deepEqual(prompts, ['Trust it from now on? [y/N] '])
})

test('Q-23 --yes trusts on a terminal, with the fingerprint shown', async (t) => {
  const { password } = (await started).ready.admin
  const { url, run, prompts } = await setUp(t, [password ?? ''])
  const { exitCode, stderr } = await run(['login', url, '--username', 'admin', '--yes'])
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /SHA-256 /)
  assert.deepEqual(prompts, ['Password of admin: (hidden)'])
})

test('login without a method prompts for the user name, and delete for confirmation', async (t) => {
  const { password } = (await started).ready.admin
  const { url, caFile, run, prompts } = await setUp(t, ['admin', password ?? '', 'no', 'yes'])
  assert.equal((await run(['login', url, '--ca-file', caFile])).exitCode, 0)
  assert.equal((await run(['identities', 'create', 'gone'])).exitCode, 0)
  assert.equal((await run(['identities', 'delete', 'gone'])).exitCode, 1)
  assert.equal((await run(['identities', 'show', 'gone'])).exitCode, 0)
  assert.equal((await run(['identities', 'delete', 'gone'])).exitCode, 0)
  assert.equal((await run(['identities', 'show', 'gone'])).exitCode, 5)
  assert.deepEqual(prompts.slice(0, 2), ['User name: ', 'Password of admin: (hidden)'])
})

test('Q-28 a prompt for a new password names the controller; required one-time codes are set up at the terminal, and without a terminal the error names where', async (t) => {
  const { password } = (await started).ready.admin
  const admin = await setUp(t, [password ?? ''])
  const words = (line: string) => line.split(' ')
  assert.equal((await admin.run(['login', admin.url, '--ca-file', admin.caFile, '--username', 'admin'])).exitCode, 0)
  assert.equal((await admin.run(words('policies create codes --allow-password --require-totp'))).exitCode, 0)
  const file = join(mkdtempSync(join(tmpdir(), 'countersign-codes-')), 'gina.jwt')
  t.after(() => rmSync(dirname(file), { recursive: true, force: true }))
  const created = await admin.run([
    ...words('identities create gina --policy codes --enroll-username gina'),
    '--enroll-file',
    file,
  ])
  assert.equal(created.exitCode, 0, created.stderr)

  const secrets: string[] = []
  const person = await setUp(t, ['a good password', 'a good password', 'a good password', () => secrets[0] ?? ''])
  const enrolled = await person.run(['enroll', file, '--ca-file', person.caFile])
  assert.deepEqual([enrolled.exitCode, enrolled.stdout], [0, 'enrolled: log in as gina\n'], enrolled.stderr)
  const login = ['login', person.url, '--ca-file', person.caFile, '--username', 'gina']
  const program = await runCaptured([...login, '--password-stdin'], {
    env: person.env,
    input: { readAll: async () => 'a good password\n' },
  })
  assert.equal(program.exitCode, 4, program.stderr)
  assert.match(program.stderr, /not set up yet/)
  const { exitCode, stderr, stdout } = await person.run(login, (text) => {
    const [url] = /otpauth:\S+/.exec(text) ?? []
    if (url) secrets.push(currentOneTimeCode(url))
  })
  assert.deepEqual([exitCode, stdout], [0, `logged in to ${person.url} as gina\n`], stderr)
  assert.match(stderr, /recovery codes/)
  assert.equal((await person.run(['whoami', '--quiet'])).exitCode, 0)
  assert.deepEqual(person.prompts.slice(0, 2), [
    `New password, which is sent to ${person.url}: (hidden)`,
    'Repeat the password: (hidden)',
  ])
})

test('two new passwords that differ do not use up the one-time token', async (t) => {
  const { password } = (await started).ready.admin
  const { url, caFile, run } = await setUp(t, [
    password ?? '',
    'one password',
    'another one',
    'one password',
    'one password',
  ])
  assert.equal((await run(['login', url, '--ca-file', caFile, '--username', 'admin'])).exitCode, 0)
  const file = join(mkdtempSync(join(tmpdir(), 'countersign-twice-')), 'hans.jwt')
  t.after(() => rmSync(dirname(file), { recursive: true, force: true }))
  const created = await run(['identities', 'create', 'hans', '--enroll-username', 'hans', '--enroll-file', file])
  assert.equal(created.exitCode, 0, created.stderr)
  assert.equal((await run(['enroll', file])).exitCode, 2)
  assert.equal((await run(['enroll', file])).exitCode, 0)
})

test('output on a terminal is coloured', async (t) => {
  const { password } = (await started).ready.admin
  const { url, caFile, run } = await setUp(t, [password ?? ''])
  await run(['login', url, '--ca-file', caFile, '--username', 'admin'])
  const { stdout } = await run(['doctor'])
  assert.ok(stdout.includes('\x1b[32m✔ \x1b[0mprofile'), stdout)
})

for (const [words, expected] of [
  [['--cert', 'a'], /--cert needs --key/],
  [['--jwt', 'a', '--username', 'b'], /exclude each other/],
  [['--jwt', 'none'], /none does not exist/],
] as const) {
  test(`"login ${words.join(' ')}" is refused before anything is sent`, async (t) => {
    const { url, caFile, run } = await setUp(t, [])
    const { exitCode, stderr } = await run(['login', url, '--ca-file', caFile, ...words])
    assert.ok(exitCode === 2 || exitCode === 1, stderr)
    assert.match(stderr, expected)
  })
}

test('an address that is not https, or contains a password, is refused', async (t) => {
  const { run } = await setUp(t, [])
  for (const url of ['http://127.0.0.1:1', 'https://user:pass@127.0.0.1:1', 'https://']) {
    const { exitCode, stderr } = await run(['login', url, '--username', 'admin'])
    assert.equal(exitCode, 2, stderr)
    assert.ok(!stderr.includes('pass@'), stderr)
  }
})
