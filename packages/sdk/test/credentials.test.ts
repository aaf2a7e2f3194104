import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { Credentials, findTokenInEnv, listDefaultFiles } from '@countersign/sdk'

const URL_OF = (name: string) => `https://${name}.auth.us-east-1.amazoncognito.com/oauth2/token`
const members = (clientId: string) => ({
  clientId,
  password: `${clientId}-secret`,
  authenticationUrl: URL_OF(clientId),
})

function makeFolder(t: TestContext, files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sdk-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}

const trio = (prefix: string, url: string, clientId: string) => ({
  [`${prefix}_CLIENT_ID`]: clientId,
  [`${prefix}_PASSWORD`]: 'p',
  [url]: URL_OF(clientId),
})

test('credentials are searched in a fixed order, and report their source', async (t) => {
  const names = ['flag', 'ours', 'theirs', 'default', 'later']
  const folder = makeFolder(t, Object.fromEntries(names.map((name) => [`${name}.json`, members(name)])))
  const at = (name: string) => join(folder, `${name}.json`)
  const defaultFiles = [at('absent'), at('default'), at('later')]
  const steps: [drop: () => void, clientId: string, source: string][] = []
  const input: { file?: string; env: Record<string, string> } = {
    file: at('flag'),
    env: {
      COUNTERSIGN_CREDENTIALS: at('ours'),
      ...trio('COUNTERSIGN', 'COUNTERSIGN_AUTHENTICATION_URL', 'our-three'),
      NETFOUNDRY_API_ACCOUNT: at('theirs'),
      ...trio('NETFOUNDRY', 'NETFOUNDRY_OAUTH_URL', 'their-three'),
    },
  }
  const without = (start: string) => () => {
    for (const name of Object.keys(input.env)) if (name.startsWith(start)) delete input.env[name]
  }
  steps.push([() => {}, 'flag', at('flag')])
  steps.push([() => void delete input.file, 'ours', `${at('ours')} (COUNTERSIGN_CREDENTIALS)`])
  const three = 'COUNTERSIGN_CLIENT_ID, COUNTERSIGN_PASSWORD, COUNTERSIGN_AUTHENTICATION_URL'
  steps.push([without('COUNTERSIGN_CREDENTIALS'), 'our-three', three])
  steps.push([without('COUNTERSIGN'), 'theirs', `${at('theirs')} (NETFOUNDRY_API_ACCOUNT)`])
  const theirThree = 'NETFOUNDRY_CLIENT_ID, NETFOUNDRY_PASSWORD, NETFOUNDRY_OAUTH_URL'
  steps.push([without('NETFOUNDRY_API_ACCOUNT'), 'their-three', theirThree])
  steps.push([without('NETFOUNDRY'), 'default', at('default')])
  for (const [drop, clientId, source] of steps) {
    drop()
    const found = await Credentials.load({ ...input, defaultFiles })
    assert.deepEqual([found.clientId, found.source], [clientId, source])
  }
  await assert.rejects(Credentials.load({ env: {}, defaultFiles: [at('absent')] }), { code: 'NO_CREDENTIALS' })
})

test('the default files are those of the project, the user and the machine', () => {
  const files = listDefaultFiles({ XDG_CONFIG_HOME: '/cfg' })
  assert.deepEqual(
    [files[0], files[1], files[3], files[4]],
    [
      './credentials.json',
      '/cfg/countersign/credentials.json',
      '/netfoundry/credentials.json',
      '/cfg/netfoundry/credentials.json',
    ],
  )
  assert.match(files[2] ?? '', /\.netfoundry\/credentials\.json$/)
})

test('S2-5.3 a file has clientId, password and authenticationUrl; unknown members are ignored, missing ones refused', async (t) => {
  const folder = makeFolder(t, {
    'good.json': { ...members('ci'), lastBearer: 'x' },
    'list.json': [],
    'text.json': 'not json p4ssw0rd',
    'no-client.json': { ...members('ci'), clientId: undefined },
    'number.json': { ...members('ci'), password: 5 },
  })
  const good = await Credentials.fromFile(join(folder, 'good.json'))
  assert.deepEqual([good.clientId, good.password, good.authenticationUrl], Object.values(members('ci')))
  assert.deepEqual(JSON.parse(good.toFileText()), members('ci'))
  assert.equal(good.file, join(folder, 'good.json'))
  const inEnv = await Credentials.fromEnv({ COUNTERSIGN_CREDENTIALS: join(folder, 'good.json') })
  assert.equal(inEnv?.file, join(folder, 'good.json'))
  assert.equal(new Credentials(members('ci')).file, undefined)
  for (const name of ['list', 'text', 'no-client', 'number']) {
    await assert.rejects(Credentials.fromFile(join(folder, `${name}.json`)), (error: Error & { code: string }) => {
      assert.equal(error.code, 'BAD_CREDENTIALS')
      assert.equal(error.message.includes('p4ssw0rd') || error.message.includes('ci-secret'), false)
      return true
    })
  }
  await assert.rejects(Credentials.fromFile(join(folder, 'absent.json')), { code: 'NO_CREDENTIALS' })
  await assert.rejects(Credentials.fromFile(folder), { code: 'BAD_CREDENTIALS' })
})

test('the text of a file contains all members and parses to the same credentials', () => {
  const more = { ...members('ci'), provider: 'keycloak', scope: 'api', issuer: 'https://id.example' } as const
  const text = new Credentials(more).toFileText()
  assert.deepEqual(JSON.parse(text), more)
  const { provider, scope, issuer } = Credentials.fromJson(text, 'text')
  assert.deepEqual({ provider, scope, issuer }, { provider: 'keycloak', scope: 'api', issuer: 'https://id.example' })
  const guessed = new Credentials({ ...members('ci'), provider: 'cognito' })
  assert.deepEqual(JSON.parse(guessed.toFileText()), members('ci'), 'a provider that can be guessed is omitted')
})

test('an incomplete set of variables is refused; the error names the missing ones, and no values', async () => {
  const env = { NETFOUNDRY_CLIENT_ID: 'ci', NETFOUNDRY_PASSWORD: 'hush' }
  await assert.rejects(Credentials.fromEnv(env), (error: Error & { code: string }) => {
    assert.equal(error.code, 'BAD_CREDENTIALS')
    assert.match(error.message, /NETFOUNDRY_OAUTH_URL/)
    assert.equal(error.message.includes('hush'), false)
    return true
  })
  assert.equal((await Credentials.fromEnv({ ...env, NETFOUNDRY_OAUTH_URL: URL_OF('ci') }))?.clientId, 'ci')
  assert.equal(await Credentials.fromEnv({ NETFOUNDRY_CLIENT_ID: '' }), undefined)
})

test('printing and serializing credentials omits the password', () => {
  const credentials = new Credentials(members('ci'))
  const printed = [
    String(credentials),
    `${credentials}`,
    JSON.stringify({ credentials }),
    inspect(credentials),
    inspect({ deep: [credentials] }, { depth: 9, showHidden: true }),
    JSON.stringify(Object.entries(credentials)),
    JSON.stringify({ ...credentials }),
  ]
  for (const text of printed) assert.equal(text.includes('ci-secret'), false, text)
  assert.equal(credentials.password, 'ci-secret')
})

test('an access token can come from the environment', () => {
  assert.equal(findTokenInEnv({}), undefined)
  const theirs = { NETFOUNDRY_API_TOKEN: 'b' }
  assert.deepEqual(findTokenInEnv(theirs), { token: 'b', source: 'NETFOUNDRY_API_TOKEN' })
  const ours = { ...theirs, COUNTERSIGN_API_TOKEN: 'a' }
  assert.deepEqual(findTokenInEnv(ours), { token: 'a', source: 'COUNTERSIGN_API_TOKEN' })
})
