import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CALLER_SOURCES, type FindCallerOptions, type FoundCaller, findCaller, HostedClient } from '@countersign/sdk'
import { splitCommand } from '../src/source/token-command.ts'
import { startServer } from './local-server.ts'

const MEMBERS = { clientId: 'c', password: 'p', authenticationUrl: 'https://id.example/oauth2/token' }

function createFolder(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'sources-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string, mode = 0o600): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  return { folder, write }
}

function makeJwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(claims)}.c2ln`
}

/** No default files and no pod, whatever the machine has. */
const NOWHERE = { defaultFiles: [], kubernetesTokenFile: '/nowhere/token' }

async function tokenOf(caller: FoundCaller, refused?: string): Promise<string> {
  assert.ok('token' in caller, 'it supplies a token')
  return typeof caller.token === 'string' ? caller.token : caller.token(refused)
}

test('sources are searched in the documented order', async (t) => {
  const { write } = createFolder(t)
  const credentials = write('credentials.json', JSON.stringify(MEMBERS))
  const github = await startServer(t, () => ({ json: { value: 'of-github' } }))
  const env: Record<string, string> = {
    COUNTERSIGN_API_TOKEN: 'of-environment',
    COUNTERSIGN_TOKEN_FILE: write('named', 'of-file\n'),
    ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
    COUNTERSIGN_AUDIENCE: 'urn:acme',
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
    COUNTERSIGN_TOKEN_COMMAND: 'echo of-command',
  }
  const search: FindCallerOptions = {
    env,
    defaultFiles: [credentials],
    kubernetesTokenFile: write('projected', 'of-kubernetes', 0o644),
  }
  const given = await findCaller({ ...search, tokenCommand: 'echo of-option' })
  assert.equal(await tokenOf(given), 'of-option')
  const steps = [
    ['of-environment', 'environment COUNTERSIGN_API_TOKEN', 'COUNTERSIGN_API_TOKEN'],
    ['of-file', /^COUNTERSIGN_TOKEN_FILE: .+named$/, 'COUNTERSIGN_TOKEN_FILE'],
    ['of-github', 'GitHub Actions, for the audience urn:acme', 'ACTIONS_ID_TOKEN_REQUEST_URL'],
    ['of-kubernetes', /^Kubernetes: .+projected$/, 'KUBERNETES_SERVICE_HOST'],
    ['of-command', 'the command of COUNTERSIGN_TOKEN_COMMAND', 'COUNTERSIGN_TOKEN_COMMAND'],
  ] as const
  for (const [token, source, variable] of steps) {
    const caller = await findCaller(search)
    assert.equal(await tokenOf(caller), token)
    if (typeof source === 'string') assert.equal(caller.source, source)
    else assert.match(caller.source, source)
    assert.deepEqual(caller.warnings, [])
    delete env[variable]
  }
  const last = await findCaller(search)
  assert.ok('credentials' in last && last.credentials.clientId === 'c')
  assert.equal(last.source, `default file: ${credentials}`)
})

test('variables of existing tools count after ours, and not where they are excluded', async (t) => {
  const { write } = createFolder(t)
  const env = { NETFOUNDRY_API_TOKEN: 'theirs', COUNTERSIGN_CREDENTIALS: write('c.json', JSON.stringify(MEMBERS)) }
  const ours = await findCaller({ env, ...NOWHERE })
  assert.ok('credentials' in ours)
  const theirs = await findCaller({ env: { NETFOUNDRY_API_TOKEN: 'theirs' }, ...NOWHERE })
  assert.equal(await tokenOf(theirs), 'theirs')
  const search = { env: { NETFOUNDRY_API_TOKEN: 'theirs' }, withOtherTools: false, ...NOWHERE }
  await assert.rejects(findCaller(search), { code: 'NO_CREDENTIALS' })
})

test('an error without credentials names every source that was tried, and why it has none', async () => {
  const env = { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://x', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret-request' }
  await assert.rejects(findCaller({ env, ...NOWHERE }), (error: Error & { code: string }) => {
    assert.equal(error.code, 'NO_CREDENTIALS')
    for (const { name } of CALLER_SOURCES) assert.ok(error.message.includes(`${name} (`), name)
    assert.match(error.message, /COUNTERSIGN_AUDIENCE, the audience of the organization, is not set/)
    assert.doesNotMatch(error.message, /secret-request/)
    return true
  })
})

test('a token file is read again when it changes', async (t) => {
  const { write } = createFolder(t)
  const tokenFile = write('token', 'first')
  const caller = await findCaller({ tokenFile, env: {}, ...NOWHERE })
  const server = await startServer(t, ({ headers }) => ({ json: { name: headers.authorization } }))
  const client = new HostedClient({ baseUrl: server.url, ...caller })
  assert.equal((await client.self()).name, 'Bearer first')
  write('token', 'second')
  assert.equal((await client.self()).name, 'Bearer second')
})

test('Q-29 a token file that others can write is refused; one that they can read only causes a warning', async (t) => {
  const { write } = createFolder(t)
  const search = (mode: number) => findCaller({ tokenFile: write('token', 'x', mode), env: {}, ...NOWHERE })
  assert.deepEqual((await search(0o600)).warnings, [])
  assert.match((await search(0o644)).warnings.join(), /others can read/)
  for (const mode of [0o666, 0o602, 0o620, 0o660]) {
    await assert.rejects(search(mode), { code: 'BAD_CREDENTIALS', message: /can be changed by others/ })
    const credentials = write('c.json', JSON.stringify(MEMBERS), mode)
    const caller = await findCaller({ credentialsFile: credentials, env: {}, ...NOWHERE })
    assert.match(caller.warnings.join(), /can be changed by others/)
  }
})

test('text that is no token is refused without quoting it', async (t) => {
  const { write } = createFolder(t)
  for (const text of ['', ' \n', 'two words', 'ü']) {
    const search = { tokenFile: write('token', text), env: {}, ...NOWHERE }
    await assert.rejects(findCaller(search), (error: Error & { code: string }) => {
      assert.equal(error.code, 'BAD_TOKEN')
      assert.ok(text.trim() === '' || !error.message.includes(text))
      return true
    })
  }
})

test('Q-29 GitHub Actions is asked for the audience, over https or loopback only, and again before the token expires', async (t) => {
  const now = Math.floor(Date.now() / 1000)
  let lives = 600
  const github = await startServer(t, (_, count) => ({
    json: { value: makeJwt({ iat: now - lives + 300, exp: now + 300, count }) },
  }))
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
  }
  const caller = await findCaller({ env, audience: 'urn:acme', ...NOWHERE })
  const first = await tokenOf(caller)
  assert.equal(await tokenOf(caller), first, 'kept while it is fresh')
  const again = await tokenOf(caller, first)
  assert.notEqual(again, first, 'requested again after a refusal')
  const [seen] = github.seen
  assert.equal(seen?.headers.authorization, 'Bearer request')
  assert.equal(seen?.path, '/token?api-version=2.0&audience=urn%3Aacme')
  lives = 6000
  await tokenOf(caller, again)
  const calls = github.seen.length
  await tokenOf(caller)
  assert.equal(github.seen.length, calls + 1, 'a token with a twentieth of its life left is replaced')
  const unsafe = { ...env, ACTIONS_ID_TOKEN_REQUEST_URL: 'http://github.example/token' }
  const refused = await findCaller({ env: unsafe, audience: 'a', ...NOWHERE })
  await assert.rejects(tokenOf(refused), { code: 'UNSAFE_ADDRESS' })
})

test('GitHub Actions without the permission is reported with a hint, and without the request token', async (t) => {
  const github = await startServer(t, () => ({ status: 403, json: { message: 'no' } }))
  const env = { ACTIONS_ID_TOKEN_REQUEST_URL: github.url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret-request' }
  const caller = await findCaller({ env, audience: 'a', ...NOWHERE })
  await assert.rejects(tokenOf(caller), (error: Error & { code: string; hint: string }) => {
    assert.deepEqual([error.code, /id-token: write/.test(error.hint)], ['TOKEN_REFUSED', true])
    assert.doesNotMatch(error.message, /secret-request/)
    return true
  })
})

test('Q-29 a command runs without a shell, and its output never appears in errors', async () => {
  const run = async (tokenCommand: string) => tokenOf(await findCaller({ tokenCommand, env: {}, ...NOWHERE }))
  assert.equal(await run(`printf '%s' "a$HOME;b"`), 'a$HOME;b')
  await assert.rejects(run('echo secret output'), (error: Error & { code: string }) => {
    assert.equal(error.code, 'BAD_TOKEN')
    assert.doesNotMatch(error.message, /secret/)
    return true
  })
  for (const broken of ['false', '/nowhere/program', '', '"open']) {
    await assert.rejects(run(broken || ' '), { code: 'BAD_TOKEN' }, broken)
  }
  assert.deepEqual(splitCommand(` a  "b c"'d' "" e\\f `, 'x'), ['a', 'b cd', '', 'e\\f'])
})

test('a token that is about to expire is traded once; a refused trade changes nothing', async (t) => {
  const now = Math.floor(Date.now() / 1000)
  const nearlyExpired = makeJwt({ iat: now - 590, exp: now + 60 })
  const trades: string[] = []
  let isTraded = true
  const server = await startServer(t, ({ path, headers, body }) => {
    if (path !== '/auth/v1/token') return { json: { name: headers.authorization } }
    trades.push(body)
    if (!isTraded) return { status: 400, json: { error: 'invalid_request' } }
    return { json: { access_token: 'traded', token_type: 'Bearer', expires_in: 3600 } }
  })
  const callTwice = async (token: string) => {
    const client = new HostedClient({ baseUrl: server.url, token })
    return [(await client.self()).name, (await client.self()).name]
  }
  assert.deepEqual(await callTwice(nearlyExpired), ['Bearer traded', 'Bearer traded'])
  assert.equal(trades.length, 1)
  const form = new URLSearchParams(trades[0])
  assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:token-exchange')
  assert.equal(form.get('subject_token_type'), 'urn:ietf:params:oauth:token-type:jwt')
  assert.equal(form.get('subject_token'), nearlyExpired)
  isTraded = false
  assert.deepEqual(await callTwice(nearlyExpired), [`Bearer ${nearlyExpired}`, `Bearer ${nearlyExpired}`])
  assert.equal(trades.length, 2)
  const fresh = makeJwt({ iat: now, exp: now + 600 })
  assert.deepEqual(await callTwice(fresh), [`Bearer ${fresh}`, `Bearer ${fresh}`])
  const expired = makeJwt({ iat: now - 600, exp: now - 1 })
  assert.deepEqual(await callTwice(expired), [`Bearer ${expired}`, `Bearer ${expired}`])
  assert.equal(trades.length, 2)
})

test('a trade that the server cannot do now is tried again with the next call', async (t) => {
  const now = Math.floor(Date.now() / 1000)
  const token = makeJwt({ iat: now - 590, exp: now + 60 })
  const failures: (number | undefined)[] = [500, 429, undefined]
  const server = await startServer(t, ({ path, headers }) => {
    if (path !== '/auth/v1/token') return { json: { name: headers.authorization } }
    if (failures.length > 0) return { status: failures[0] ?? 200, json: {} }
    return { json: { access_token: 'traded', token_type: 'Bearer', expires_in: 3600 } }
  })
  const withoutResponse: typeof fetch = async (input, init) => {
    if (String(input).endsWith('/auth/v1/token') && failures.length === 1) throw new TypeError('fetch failed')
    return fetch(input, init)
  }
  const client = new HostedClient({ baseUrl: server.url, token, retries: 0, fetch: withoutResponse })
  for (; failures.length > 0; failures.shift()) assert.equal((await client.self()).name, `Bearer ${token}`)
  assert.equal((await client.self()).name, 'Bearer traded')
})
