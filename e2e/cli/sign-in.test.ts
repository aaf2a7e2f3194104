import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createBrowser } from '../../packages/server/test/dev/browser.fixture.ts'
import { createCliStage } from './cli-stage.ts'

const { setUp } = createCliStage({ after })
const NO_BROWSER = { BROWSER: '/nowhere/browser' }

/** Calls the person once, as soon as the command shows where to go. */
function whenShown(pattern: RegExp, person: (address: string) => Promise<void>) {
  let acting: Promise<void> | undefined
  return {
    onStderr: (text: string) => {
      const address = pattern.exec(text)?.[1]
      if (address !== undefined) acting ??= person(address)
    },
    done: () => acting ?? assert.fail('nothing was shown'),
  }
}

test('a person signs in through the browser, by the provider of a signer', async () => {
  const { home, baseUrl, caFile, run } = await setUp()
  const browser = join(home, 'browser')
  const person = fileURLToPath(new URL('./browser-person.ts', import.meta.url))
  writeFileSync(browser, `#!/bin/sh\nexec '${process.execPath}' '${person}' "$@"\n`, { mode: 0o755 })
  const args = ['login', baseUrl, '--ca-file', caFile, '-q', '--signer']
  const { stdout, exitCode, stderr } = await run([...args, 'local-provider'], { env: { BROWSER: browser } })
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, `signed in to ${baseUrl} as alice\n`)
  const nobody = await run([...args, 'nobody'])
  assert.equal(nobody.exitCode, 5, nobody.stderr)
  assert.match(nobody.stderr, /there are: local-provider/)
})

test('where there is no browser the address is shown, also with --quiet, and any browser will do', async () => {
  const { baseUrl, caFile, run } = await setUp()
  const person = whenShown(/Sign in at (\S+)\n/, async (address) => {
    const browser = createBrowser()
    const { location } = await browser.submit(await browser.open(address), { person: 'bob' })
    const page = await fetch(location)
    assert.match(await page.text(), /Back to the terminal/)
  })
  const args = ['login', baseUrl, '--ca-file', caFile, '-q', '--signer', 'local-provider']
  const { exitCode, stdout, stderr } = await run(args, { env: NO_BROWSER, onStderr: person.onStderr })
  await person.done()
  assert.deepEqual([exitCode, stdout], [0, `signed in to ${baseUrl} as bob\n`], stderr)
})

test('an answer that belongs to another login is refused', async () => {
  const { baseUrl, caFile, run } = await setUp()
  const person = whenShown(/Sign in at (\S+)\n/, async (address) => {
    const browser = createBrowser()
    const { location } = await browser.submit(await browser.open(address), { person: 'bob' })
    const forged = new URL(location)
    forged.searchParams.set('state', 'of-another-login')
    await fetch(forged)
  })
  const args = ['login', baseUrl, '--ca-file', caFile, '--signer', 'local-provider']
  const { exitCode, stderr } = await run(args, { env: NO_BROWSER, onStderr: person.onStderr })
  assert.equal(exitCode, 4, stderr)
  assert.match(stderr, /belongs to another login/)
})

test('a code that a person enters on another device signs in; one who says no does not', async () => {
  const { baseUrl, caFile, run } = await setUp()
  const args = ['login', baseUrl, '--ca-file', caFile, '-q', '--device', '--signer', 'local-provider']
  const logIn = async (confirm: 'yes' | 'no') => {
    const person = whenShown(/enter the code (\S+)\n/, async (code) => {
      const { controller } = await setUp()
      const browser = createBrowser()
      // As a person does it: the address by hand, then the code.
      const entry = await browser.open(`${controller.ready.identityProviderUrl}/device`)
      const same = await browser.submit(entry, { user_code: code })
      assert.ok(same.text.includes(`<code>${code}</code>`), same.text)
      if (confirm === 'no') {
        assert.match((await browser.submit(same, { abort: 'yes' })).text, /Not signed in/)
        return
      }
      const login = await browser.submit(same, {})
      assert.match((await browser.submit(login, { person: 'carol' })).text, /You can close this page/)
    })
    const result = await run(args, { onStderr: person.onStderr })
    await person.done()
    return result
  }
  const [signedIn, refused] = await Promise.all([logIn('yes'), logIn('no')])
  assert.deepEqual([signedIn.exitCode, signedIn.stdout], [0, `signed in to ${baseUrl} as carol\n`], signedIn.stderr)
  assert.equal(refused.exitCode, 4, refused.stderr)
  assert.match(refused.stderr, /said no/)
  assert.equal((await run(['whoami', '-q'])).exitCode, 0)
})

test('a second token from the browser goes with every call', async () => {
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
  const person = (name: string) =>
    whenShown(/Sign in at (\S+)\n/, async (address) => {
      const browser = createBrowser()
      const { location } = await browser.submit(await browser.open(address), { person: name })
      await fetch(location)
    })
  const logInAs = (name: string) =>
    run([...login, '--second-signer', 'local-provider'], {
      stdin: `${password}\n`,
      env: NO_BROWSER,
      onStderr: person(name).onStderr,
    })
  const stranger = await logInAs('alice')
  assert.equal(stranger.exitCode, 4, stranger.stderr)
  const whole = await logInAs('dave')
  assert.equal(whole.exitCode, 0, whole.stderr)
  assert.equal((await run(['whoami', '--profile', 'frida', '-q'])).exitCode, 0)
})
