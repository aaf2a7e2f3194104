import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DpopKey } from '@countersign/sdk'
import { createBrowser } from '../../packages/server/test/dev/browser.fixture.ts'
import { createCliStage } from './cli-stage.ts'

const { setUp } = createCliStage({ after })
const NO_BROWSER = { BROWSER: '/nowhere/browser' }

/** Calls `user` once, when the command has printed the address or code. */
function whenPrinted(pattern: RegExp, user: (address: string) => Promise<void>) {
  let acting: Promise<void> | undefined
  return {
    onStderr: (text: string) => {
      const address = pattern.exec(text)?.[1]
      if (address !== undefined) acting ??= user(address)
    },
    done: () => acting ?? assert.fail('nothing was printed'),
  }
}

test('logs in with the browser at the provider of a signer', async () => {
  const { home, baseUrl, caFile, run } = await setUp()
  const browser = join(home, 'browser')
  const user = fileURLToPath(new URL('./browser-user.ts', import.meta.url))
  writeFileSync(browser, `#!/bin/sh\nexec '${process.execPath}' '${user}' "$@"\n`, { mode: 0o755 })
  const args = ['login', baseUrl, '--ca-file', caFile, '-q', '--signer']
  const { stdout, exitCode, stderr } = await run([...args, 'local-provider'], { env: { BROWSER: browser } })
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, `logged in to ${baseUrl} as alice\n`)
  const unknown = await run([...args, 'unknown'])
  assert.equal(unknown.exitCode, 5, unknown.stderr)
  assert.match(unknown.stderr, /it offers: local-provider/)
})

test('without a browser the address is printed, also with --quiet, and works in any browser', async () => {
  const { baseUrl, caFile, run } = await setUp()
  const user = whenPrinted(/Log in at (\S+)\n/, async (address) => {
    const browser = createBrowser()
    const { location } = await browser.submit(await browser.open(address), { person: 'bob' })
    const page = await fetch(location)
    assert.match(await page.text(), /Return to the terminal/)
  })
  const args = ['login', baseUrl, '--ca-file', caFile, '-q', '--signer', 'local-provider']
  const { exitCode, stdout, stderr } = await run(args, { env: NO_BROWSER, onStderr: user.onStderr })
  await user.done()
  assert.deepEqual([exitCode, stdout], [0, `logged in to ${baseUrl} as bob\n`], stderr)
})

test('a callback that belongs to another login does not end this one', async () => {
  const { baseUrl, caFile, run } = await setUp()
  const user = whenPrinted(/Log in at (\S+)\n/, async (address) => {
    const browser = createBrowser()
    const { location } = await browser.submit(await browser.open(address), { person: 'bob' })
    const forged = new URL(location)
    forged.searchParams.set('state', 'of-another-login')
    assert.equal((await fetch(forged)).status, 404)
    assert.equal((await fetch(location)).status, 200)
  })
  const args = ['login', baseUrl, '--ca-file', caFile, '--signer', 'local-provider']
  const { exitCode, stderr } = await run(args, { env: NO_BROWSER, onStderr: user.onStderr })
  await user.done()
  assert.equal(exitCode, 0, stderr)
})

test('a device code logs in when it is confirmed, and not when it is declined', async () => {
  const { baseUrl, caFile, run } = await setUp()
  const args = ['login', baseUrl, '--ca-file', caFile, '-q', '--device', '--signer', 'local-provider']
  const logIn = async (confirm: 'yes' | 'no') => {
    const user = whenPrinted(/enter the code (\S+)\n/, async (code) => {
      const { controller } = await setUp()
      const browser = createBrowser()
      // Open the address without the code, then enter the code.
      const entry = await browser.open(`${controller.ready.identityProviderUrl}/device`)
      const confirmation = await browser.submit(entry, { user_code: code })
      assert.ok(confirmation.text.includes(`<code>${code}</code>`), confirmation.text)
      if (confirm === 'no') {
        assert.match((await browser.submit(confirmation, { abort: 'yes' })).text, /Login cancelled/)
        return
      }
      const login = await browser.submit(confirmation, {})
      assert.match((await browser.submit(login, { person: 'carol' })).text, /You can close this page/)
    })
    const result = await run(args, { onStderr: user.onStderr })
    await user.done()
    return result
  }
  const [loggedIn, refused] = await Promise.all([logIn('yes'), logIn('no')])
  assert.deepEqual([loggedIn.exitCode, loggedIn.stdout], [0, `logged in to ${baseUrl} as carol\n`], loggedIn.stderr)
  assert.equal(refused.exitCode, 4, refused.stderr)
  assert.match(refused.stderr, /the login was declined/)
  assert.equal((await run(['whoami', '-q'])).exitCode, 0)
})

test('C-22 with --dpop the token and the session are bound to a key in a private file', async () => {
  const { home, baseUrl, caFile, run } = await setUp()
  const browser = join(home, 'browser')
  const user = fileURLToPath(new URL('./browser-user.ts', import.meta.url))
  writeFileSync(browser, `#!/bin/sh\nexec '${process.execPath}' '${user}' "$@"\n`, { mode: 0o755 })
  const args = ['login', baseUrl, '--ca-file', caFile, '-q', '--signer', 'local-provider', '--profile', 'bound']
  const { exitCode, stderr } = await run([...args, '--dpop'], { env: { BROWSER: browser } })
  assert.equal(exitCode, 0, stderr)
  const whoami = await run(['whoami', '--profile', 'bound', '-o', 'json'])
  assert.equal(whoami.exitCode, 0, whoami.stderr)
  const folder = dirname(dirname(findFile(home, 'bound.json')))
  const keyFile = join(folder, 'dpop', 'bound.json')
  assert.equal(statSync(keyFile).mode & 0o777, 0o600)
  const key = JSON.parse(readFileSync(keyFile, 'utf8'))
  assert.deepEqual([key.kty, key.crv, typeof key.d], ['EC', 'P-256', 'string'])
  // Without the key, the session is of no use.
  const profileFile = join(folder, 'profiles', 'bound.json')
  const { dpopKey, ...stolen } = JSON.parse(readFileSync(profileFile, 'utf8'))
  assert.equal(dpopKey, keyFile)
  writeFileSync(join(folder, 'profiles', 'stolen.json'), JSON.stringify(stolen), { mode: 0o600 })
  const refused = await run(['whoami', '--profile', 'stolen'])
  assert.notEqual(refused.exitCode, 0, refused.stdout)
  assert.equal((await run(['whoami', '--profile', 'bound'])).exitCode, 0)
})

test('C-23 with --dpop-key a bound token enrolls to a certificate for its key, and logs in', async () => {
  const { home, baseUrl, caFile, controller, run, logIn } = await setUp()
  const jwk = await DpopKey.generate()
  const keyFile = join(home, 'agent.jwk')
  writeFileSync(keyFile, JSON.stringify(jwk), { mode: 0o600 })
  const { thumbprint } = await DpopKey.from(jwk)
  const tokenOf = async (person: string): Promise<string> => {
    const body = new URLSearchParams({ person, dpop_jkt: thumbprint })
    const response = await fetch(`${controller.ready.identityProviderUrl}/dev/token`, { method: 'POST', body })
    const file = join(home, `${person}.txt`)
    writeFileSync(file, ((await response.json()) as { access_token: string }).access_token)
    return file
  }
  const dave = await tokenOf('dave')
  const enroll = ['enroll', dave, '--url', baseUrl, '--ca-file', caFile, '-q']
  const bare = await run(enroll)
  assert.deepEqual([bare.exitCode, /bound to a key/.test(bare.stderr)], [2, true], bare.stderr)
  const other = await run([...enroll, '--dpop'])
  assert.deepEqual([other.exitCode, /bound to another key/.test(other.stderr)], [2, true], other.stderr)
  const enrolled = await run([...enroll, '--dpop-key', keyFile])
  assert.equal(enrolled.exitCode, 0, enrolled.stderr)
  const { publicKey } = new X509Certificate(readFileSync(join(home, 'dave.crt')))
  assert.deepEqual([publicKey.export({ format: 'jwk' }).x, publicKey.export({ format: 'jwk' }).y], [jwk.x, jwk.y])
  const login = ['login', baseUrl, '--ca-file', caFile, '--jwt', await tokenOf('alice'), '--profile', 'agent', '-q']
  assert.equal((await run(login)).exitCode, 2)
  const loggedIn = await run([...login, '--dpop-key', keyFile])
  assert.equal(loggedIn.exitCode, 0, loggedIn.stderr)
  assert.equal((await run(['whoami', '--profile', 'agent'])).exitCode, 0)
  // Another test gives the external id to an identity of its own.
  assert.equal((await logIn()).exitCode, 0)
  assert.equal((await run(['identities', 'delete', 'dave', '--yes', '-q'])).exitCode, 0)
})

function findFile(folder: string, name: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const found = entries.find((entry) => entry.name === name && entry.parentPath.endsWith('profiles'))
  return join(found?.parentPath ?? assert.fail(`there is no ${name}`), name)
}

test('a second token from the browser is sent on every call', async () => {
  const { baseUrl, caFile, run, logIn } = await setUp()
  assert.equal((await logIn()).exitCode, 0)
  const policy = ['policies', 'create', 'two', '--allow-password', '--require-signer', 'local-provider', '-q']
  assert.equal((await run(policy)).exitCode, 0)
  assert.equal((await run(['identities', 'create', 'frida', '--enroll-username', 'frida', '-q'])).exitCode, 0)
  const password = 'a good password'
  assert.equal((await run(['enroll', 'frida.jwt', '--password-stdin', '-q'], { stdin: `${password}\n` })).exitCode, 0)
  const changes = ['--policy', 'two', '--external-id', 'dave@example.com', '-q']
  assert.equal((await run(['identities', 'update', 'frida', ...changes])).exitCode, 0)
  const login = ['login', baseUrl, '--ca-file', caFile, '-u', 'frida', '--password-stdin', '--profile', 'frida', '-q']
  const bare = await run(login, { stdin: `${password}\n` })
  assert.equal(bare.exitCode, 2, bare.stderr)
  assert.match(bare.stderr, /--second-signer local-provider/)
  const user = (name: string) =>
    whenPrinted(/Log in at (\S+)\n/, async (address) => {
      const browser = createBrowser()
      const { location } = await browser.submit(await browser.open(address), { person: name })
      await fetch(location)
    })
  const logInAs = (name: string) =>
    run([...login, '--second-signer', 'local-provider'], {
      stdin: `${password}\n`,
      env: NO_BROWSER,
      onStderr: user(name).onStderr,
    })
  const wrongUser = await logInAs('alice')
  assert.equal(wrongUser.exitCode, 4, wrongUser.stderr)
  const rightUser = await logInAs('dave')
  assert.equal(rightUser.exitCode, 0, rightUser.stderr)
  assert.equal((await run(['whoami', '--profile', 'frida', '-q'])).exitCode, 0)
})
