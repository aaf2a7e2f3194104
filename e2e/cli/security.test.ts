import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { totpCode, totpStep } from '@countersign/core'
import { makeTestCertificate, mintKeyFrom, mintToken, readProvisioningSecret } from '@countersign/testkit'
import { createCliStage } from './cli-stage.ts'
import { runCountersign } from './run-countersign.ts'

const { setUp } = createCliStage({ after })

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('Q-21 no password, session or token is printed outside the result, also with -v and stack traces', async () => {
  const { home, baseUrl, caFile, dataDir, password, run, logIn } = await setUp()
  const env = { COUNTERSIGN_DEBUG: '1' }
  const printed: string[] = []
  const record = async (args: readonly string[], options: Parameters<typeof run>[1] = {}) => {
    const { stdout, stderr } = await run(args, { env, ...options })
    printed.push(stderr, args[0] === 'token' ? '' : stdout)
    return stdout
  }
  assert.equal((await logIn(['-v'])).exitCode, 0)
  const { session } = JSON.parse(readFileSync(join(home, '.config/countersign/profiles/default.json'), 'utf8'))
  const hosted = ['--credentials', join(dataDir, 'credentials.json'), '-v']
  const token = (await record(['token', ...hosted])).trim()
  const { password: secret } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
  assert.equal(token.split('.').length, 3)
  for (const args of [
    ['whoami', '-v'],
    ['doctor', '-v'],
    ['networks', 'list', ...hosted],
    ['signers', 'show', 'none', '-v'],
  ]) {
    await record(args)
  }
  const login = ['login', baseUrl, '-u', 'admin', '--password-stdin', '--ca-file', caFile, '-v', '--profile', 'x']
  await record(login, { stdin: `${password}wrong\n` })
  await record(['login', baseUrl, '--jwt', '-', '--ca-file', caFile, '-v', '--profile', 'x'], { stdin: `${token}x` })
  await record(['explain', '-', '-v'], { stdin: token })
  const text = printed.join('\n')
  assert.ok(text.includes('credentials: --credentials'), '-v has printed its lines')
  for (const [what, value] of Object.entries({ session, token, password, secret })) {
    assert.ok(value.length > 10 && !text.includes(value), what)
    assert.ok(!text.includes(value.slice(-12)), `the end of the ${what}`)
  }
})

test('Q-21 a password on the command line is refused and not printed', async () => {
  const { stderr, exitCode } = await runCountersign(tmpdir(), [
    'login',
    'https://127.0.0.1:9',
    '--username',
    'admin',
    '--password',
    'hunter2-secret',
  ])
  assert.equal(exitCode, 2)
  assert.ok(!stderr.includes('hunter2'), stderr)
})

test('Q-23 a certificate of another CA is refused, even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
  const { baseUrl, home, run, logIn } = await setUp()
  assert.equal((await logIn()).exitCode, 0)
  const file = join(home, '.config/countersign/profiles/default.json')
  const profile = JSON.parse(readFileSync(file, 'utf8'))
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' }
  assert.equal((await run(['whoami'], { env })).exitCode, 0)
  writeFileSync(file, JSON.stringify({ ...profile, caPem: makeTestCertificate({ kind: 'ec256' }).pem }))
  const refused = await run(['whoami', '-q'], { env })
  assert.equal(refused.exitCode, 7, refused.stderr)
  assert.match(refused.stderr, /its certificate does not chain to the trusted CA/)
  assert.equal((await run(['doctor', '-q'], { env })).exitCode, 7)
  const unknown = await run(['login', baseUrl, '-u', 'admin', '--password-stdin', '--profile', 'new'], {
    env,
    stdin: 'x',
  })
  assert.equal(unknown.exitCode, 4, unknown.stderr)
})

test('Q-24 credentials do not follow redirects', async (t) => {
  const { dataDir, caFile, password, run } = await setUp()
  const tls = {
    cert: readFileSync(join(dataDir, 'keys/server.crt')),
    key: readFileSync(join(dataDir, 'keys/server.key')),
  }
  const arrived: IncomingMessage[] = []
  const target = createTlsServer(tls, (request, response) => {
    arrived.push(request)
    response.end('{"data":{}}')
  })
  const targetPort = await listen(t, target)
  let requests = 0
  const statuses = [301, 302, 303, 307, 308]
  const redirecting = createTlsServer(tls, (request, response) => {
    const status = statuses[requests++ % statuses.length]
    response.writeHead(status ?? 307, { location: `https://127.0.0.1:${targetPort}${request.url}` }).end()
  })
  const url = `https://127.0.0.1:${await listen(t, redirecting)}`
  for (const _ of statuses) {
    const args = ['login', url, '-u', 'admin', '--password-stdin', '--ca-file', caFile, '-q']
    const { exitCode, stderr } = await run(args, { stdin: `${password}\n` })
    assert.equal(exitCode, 4, stderr)
    assert.match(stderr, /redirects to/)
  }
  assert.deepEqual([requests, arrived.length], [statuses.length, 0])
  // Without a redirect the same credentials are sent.
  await run(['login', `https://127.0.0.1:${targetPort}`, '-u', 'admin', '--password-stdin', '--ca-file', caFile], {
    stdin: 'x',
  })
  assert.equal(arrived.length, 1)
})

test('the session of a profile is sent only to its controller; other addresses get the token of the credentials', async (t) => {
  const { baseUrl, dataDir, caFile, run, logIn } = await setUp()
  assert.equal((await logIn()).exitCode, 0)
  const tls = {
    cert: readFileSync(join(dataDir, 'keys/server.crt')),
    key: readFileSync(join(dataDir, 'keys/server.key')),
  }
  const arrived: IncomingMessage[] = []
  const other = createTlsServer(tls, (request, response) => {
    arrived.push(request)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"_embedded":{"networkList":[]}}')
  })
  const otherUrl = `https://127.0.0.1:${await listen(t, other)}`
  const list = ['networks', 'list', '--ca-file', caFile, '-q']
  const named = await run([...list, '--hosted-url', otherUrl])
  const inEnv = await run(list, { env: { COUNTERSIGN_HOSTED_URL: otherUrl } })
  for (const { exitCode, stderr } of [named, inEnv]) {
    assert.equal(exitCode, 3, stderr)
    assert.match(stderr, new RegExp(`your session belongs to ${baseUrl} and is not sent to ${otherUrl}`))
    assert.match(stderr, /--credentials/)
  }
  assert.equal(arrived.length, 0)
  assert.equal((await run([...list, '--hosted-url', `${baseUrl}/`])).exitCode, 0)
  const credentials = join(dataDir, 'credentials-enterprise.json')
  assert.equal((await run([...list, '--hosted-url', otherUrl, '--credentials', credentials])).exitCode, 0)
  assert.deepEqual(
    arrived.map(({ headers }) => [headers['zt-session'], headers.authorization?.slice(0, 7)]),
    [[undefined, 'Bearer ']],
  )
})

/** Whether the request asks for a discovery document, which these providers do not have. */
function hasNoDocument({ method }: IncomingMessage, response: ServerResponse): boolean {
  if (method === 'POST') return false
  response.writeHead(404).end()
  return true
}

test('Q-25 concurrent commands request one token, and do not corrupt the cache', async (t) => {
  const { home, run, logIn } = await setUp()
  assert.equal((await logIn()).exitCode, 0)
  let requested = 0
  const provider = createServer((request, response) => {
    if (hasNoDocument(request, response)) return
    requested++
    const body = JSON.stringify({ access_token: `token-${requested}`, expires_in: 3600 })
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), 300)
  })
  const authenticationUrl = `http://127.0.0.1:${await listen(t, provider)}/realms/a/protocol/openid-connect/token`
  const file = join(home, 'credentials.json')
  writeFileSync(file, JSON.stringify({ clientId: 'c', password: 'p', authenticationUrl }), { mode: 0o600 })
  const runs = await Promise.all(Array.from({ length: 4 }, () => run(['token', '--credentials', file, '-q'])))
  assert.deepEqual(runs, Array(4).fill({ exitCode: 0, stdout: 'token-1\n', stderr: '' }))
  assert.equal(requested, 1)
  const folder = join(home, '.cache/countersign/tokens')
  const cached = readdirSync(folder)
  assert.equal(cached.length, 1, `no lock and no draft is left: ${cached.join()}`)
  const path = join(folder, cached[0] ?? '')
  const token = JSON.parse(readFileSync(path, 'utf8'))
  // Used at 79 % of its lifetime, renewed at 81 %.
  const age = async (part: number) => {
    writeFileSync(path, JSON.stringify({ ...token, obtainedAt: Date.now() - 3_600_000 * part }))
    return (await run(['token', '--credentials', file, '-q'])).stdout
  }
  assert.equal(await age(0.79), 'token-1\n')
  assert.equal(await age(0.81), 'token-2\n')
})

test('Q-25 concurrent commands whose cached token is refused request one new token', async (t) => {
  const { home, run, baseUrl, caFile, dataDir } = await setUp()
  const real = JSON.parse(readFileSync(join(dataDir, 'credentials-enterprise.json'), 'utf8'))
  let requested = 0
  // A proxy for the real provider that counts requests.
  const counting = createServer(async (request, response) => {
    if (hasNoDocument(request, response)) return
    requested++
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { authorization = '', 'content-type': type = '' } = request.headers
    const headers = { authorization, 'content-type': type }
    const forwarded = await fetch(`${real.authenticationUrl}`, { method: 'POST', headers, body: Buffer.concat(chunks) })
    response.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(await forwarded.text())
  })
  const authenticationUrl = `http://127.0.0.1:${await listen(t, counting)}/token`
  const file = join(home, 'credentials.json')
  writeFileSync(file, JSON.stringify({ ...real, authenticationUrl }), { mode: 0o600 })
  const args = ['networks', 'list', '--credentials', file, '--hosted-url', baseUrl, '--ca-file', caFile, '-q']
  const first = await run(args)
  assert.deepEqual([first.exitCode, requested], [0, 1], first.stderr)
  const folder = join(home, '.cache/countersign/tokens')
  const path = join(folder, readdirSync(folder)[0] ?? '')
  const token = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...token, token: `${token.token.slice(0, -8)}AAAAAAAA` }))
  const runs = await Promise.all(Array.from({ length: 4 }, () => run(args)))
  for (const { exitCode, stderr } of runs) assert.equal(exitCode, 0, stderr)
  assert.equal(requested, 2)
})

test('Q-20 a cache that others can read is not used, and the user is warned', async () => {
  const { home, dataDir, run, logIn } = await setUp()
  assert.equal((await logIn()).exitCode, 0)
  const args = ['token', '--credentials', join(dataDir, 'credentials.json')]
  assert.equal((await run(args)).exitCode, 0)
  const folder = join(home, '.cache/countersign/tokens')
  const [file = ''] = readdirSync(folder)
  writeFileSync(
    join(folder, file),
    JSON.stringify({ token: 'planted', obtainedAt: Date.now(), expiresInSeconds: 3600 }),
  )
  assert.equal((await run(args)).stdout, 'planted\n')
  chmodSync(join(folder, file), 0o644)
  const { stdout, stderr } = await run(args)
  assert.ok(stdout.split('.').length === 3, stdout)
  assert.match(stderr, /the token is not cached/)
  assert.equal(statSync(join(folder, file)).mode & 0o777, 0o644)
})

test('events tail ends when its output is closed, or after --count events', async () => {
  const { controller, run, logIn } = await setUp()
  assert.equal((await logIn()).exitCode, 0)
  const words = ['events', 'tail', '-o', 'json', '-q']
  const limit = AbortSignal.timeout(60_000)
  const following = Promise.all([run(words, { closesAfterOneLine: true }), run([...words, '--count', '3'])])
  let isOver = false
  void following.finally(() => {
    isOver = true
  })
  while (!isOver) {
    limit.throwIfAborted()
    await controller.logIn()
  }
  const [closed, counted] = await following
  assert.deepEqual([closed.exitCode, closed.stderr], [0, ''])
  assert.deepEqual([counted.exitCode, counted.stdout.trim().split('\n').length], [0, 3], counted.stderr)
})

test('an expired token is refused, and explain reports it; a valid one is accepted', async () => {
  const { controller, baseUrl, caFile, run, logIn } = await setUp()
  assert.equal((await logIn()).exitCode, 0)
  const headers = { 'zt-session': await controller.logIn() }
  const certificate = makeTestCertificate({ kind: 'ec256', commonName: 'signer' })
  const key = mintKeyFrom(certificate.privateKey, 'P-256', 'the-key')
  const signer = {
    name: 'static',
    enabled: true,
    issuer: 'https://static.test',
    audience: 'a',
    certPem: certificate.pem,
    kid: 'the-key',
    claimsProperty: 'sub',
    useExternalId: true,
  }
  const identity = { name: 'frank', type: 'User', isAdmin: false, externalId: 'frank' }
  for (const [path, body] of [
    ['ext-jwt-signers', signer],
    ['identities', identity],
  ] as const) {
    const { status, text } = await controller.request('POST', `/edge/management/v1/${path}`, { headers, body })
    assert.equal(status, 201, text)
  }
  const mint = (seconds: number) => {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: signer.issuer, aud: signer.audience, sub: 'frank', iat: now - 600, exp: now + seconds }
    return mintToken({ key, claims })
  }
  const login = ['login', baseUrl, '--jwt', '-', '--ca-file', caFile, '--profile', 'frank', '-q']
  const expired = await run(login, { stdin: mint(-300) })
  assert.equal(expired.exitCode, 4, expired.stderr)
  const explained = await run(['explain', '-', '-q'], { stdin: mint(-300) })
  assert.equal(explained.exitCode, 4)
  assert.match(explained.stdout, /the token expired/)
  const valid = await run(login, { stdin: mint(300) })
  assert.equal(valid.exitCode, 0, valid.stderr)
})

// Last, because from here on the administrator needs codes.
test('a one-time code follows the password on stdin', async () => {
  const { controller, baseUrl, caFile, password, run } = await setUp()
  const session = await controller.logIn()
  const mfa = (method: string, path: string, body?: object) =>
    controller.request(method, `/edge/client/v1/current-identity/mfa${path}`, { session, ...(body && { body }) })
  assert.equal((await mfa('POST', '')).status, 201)
  const { provisioningUrl, recoveryCodes } = (await mfa('GET', '')).json.data
  const code = totpCode(readProvisioningSecret(provisioningUrl), totpStep(Date.now()))
  assert.equal((await mfa('POST', '/verify', { code })).status, 200)
  const words = ['login', baseUrl, '--ca-file', caFile, '--username', 'admin', '--password-stdin', '-q']
  const withoutCode = await run(words, { stdin: `${password}\n` })
  assert.equal(withoutCode.exitCode, 2, withoutCode.stderr)
  assert.match(withoutCode.stderr, /one-time code is needed/)
  assert.equal((await run([...words, '--code-stdin'], { stdin: `${password}\nWRONG!\n` })).exitCode, 4)
  const withCode = await run([...words, '--code-stdin'], { stdin: `${password}\n${recoveryCodes[0]}\n` })
  assert.equal(withCode.exitCode, 0, withCode.stderr)
  assert.equal((await run(['whoami', '-q'])).exitCode, 0)
})
