import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DpopKey } from '@countersign/sdk'
import { makeTestCertificate, mintKey, mintKeySet, mintToken } from '@countersign/testkit'
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
  const checked = await run(['doctor', '--profile', 'bound', '-o', 'json'])
  assert.match(checked.stdout, /logged in as alice until/, checked.stdout)
  assert.match((await run(['doctor', '--profile', 'stolen', '-o', 'json'])).stdout, /the session has ended/)
})

test('C-22 with --dpop the calls of the hosted API have proofs: with a session, and with the token of an API account', async () => {
  const { home, baseUrl, caFile, dataDir, controller, run, logIn } = await setUp()
  assert.equal((await logIn()).exitCode, 0)
  const to = ['login', baseUrl, '--ca-file', caFile, '-q', '--dpop', '--profile', 'bound']
  const credentials = await run([...to, '--credentials', join(dataDir, 'credentials-enterprise.json')])
  assert.deepEqual([credentials.exitCode, credentials.stderr], [0, ''])
  const token = await run(['token', '--profile', 'bound', '-q'])
  const { cnf } = JSON.parse(Buffer.from(token.stdout.split('.')[1] ?? '', 'base64url').toString())
  assert.equal(typeof cnf?.jkt, 'string', token.stderr)
  const networks = ['networks', 'list', '--profile', 'bound']
  for (const command of [networks, ['signers', 'list', '--profile', 'bound'], ['doctor', '--profile', 'bound']]) {
    const { exitCode, stdout, stderr } = await run(command)
    assert.equal(exitCode, 0, stdout + stderr)
  }
  // Without the key of the profile, the cached token is not used: it would be refused.
  const bare = await run(['token', '--credentials', join(dataDir, 'credentials-enterprise.json'), '-q'])
  assert.ok(!Buffer.from(bare.stdout.split('.')[1] ?? '', 'base64url').includes('jkt'), bare.stderr)

  const { jkt } = cnf
  const body = new URLSearchParams({ person: 'carol', dpop_jkt: jkt })
  const response = await fetch(`${controller.ready.identityProviderUrl}/dev/token`, { method: 'POST', body })
  const file = join(home, 'carol.txt')
  writeFileSync(file, ((await response.json()) as { access_token: string }).access_token)
  assert.equal((await run(['identities', 'update', 'carol', '--admin', '-q'])).exitCode, 0)
  try {
    const loggedIn = await run([...to, '--jwt', file])
    assert.deepEqual([loggedIn.exitCode, loggedIn.stderr], [0, ''])
    const listed = await run(networks)
    assert.equal(listed.exitCode, 0, listed.stderr)
  } finally {
    assert.equal((await run(['identities', 'update', 'carol', '--no-admin', '-q'])).exitCode, 0)
  }
})

test('C-18 with --cert a token that is bound to the certificate logs in, and not without', async () => {
  const { home, baseUrl, caFile, run, logIn } = await setUp()
  const { pem, privateKey } = makeTestCertificate()
  const [cert, key] = [join(home, 'client.pem'), join(home, 'client.key')]
  writeFileSync(cert, pem)
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const provider = mintKey('P-256', 'provider')
  writeFileSync(join(home, 'keys.json'), JSON.stringify(mintKeySet(provider)))
  assert.equal((await logIn()).exitCode, 0)
  const signer = ['signers', 'create', 'mtls', '--issuer', 'https://mtls.example', '--audience', 'overlay', '-q']
  const members = ['--jwks', join(home, 'keys.json'), '--use-external-id', '--require-possession', 'mtls']
  assert.equal((await run([...signer, ...members])).exitCode, 0)
  assert.equal((await run(['identities', 'create', 'gina', '--external-id', 'gina', '-q'])).exitCode, 0)
  const sha256 = createHash('sha256').update(new X509Certificate(pem).raw).digest('base64url')
  const exp = Math.floor(Date.now() / 1000) + 600
  const claims = { iss: 'https://mtls.example', aud: 'overlay', sub: 'gina', exp, cnf: { 'x5t#S256': sha256 } }
  const token = join(home, 'token.txt')
  writeFileSync(token, mintToken({ key: provider, claims }))
  const login = ['login', baseUrl, '--ca-file', caFile, '--jwt', token, '--profile', 'gina', '-q']
  const bare = await run(login)
  assert.equal(bare.exitCode, 4, bare.stderr)
  const loggedIn = await run([...login, '--cert', cert, '--key', key])
  assert.deepEqual([loggedIn.exitCode, loggedIn.stderr], [0, ''])
  assert.equal((await run(['whoami', '--profile', 'gina'])).exitCode, 0)
  assert.equal((await run([...login, '--cert', cert])).exitCode, 2, 'without its key')
})

test('C-22 a login with --dpop that binds nothing says so', async () => {
  const { logIn } = await setUp()
  const bound = await logIn(['--dpop'])
  assert.equal(bound.exitCode, 0)
  assert.match(bound.stderr, /warning: the session is not bound to the key of --dpop/)
  assert.doesNotMatch((await logIn()).stderr, /not bound/)
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
