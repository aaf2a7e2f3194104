import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadSettings, resolveSettings } from '../../../src/platform/settings/load.ts'
import { SETTING_ROWS } from '../../../src/platform/settings/setting-row.ts'
import { SettingsError } from '../../../src/platform/settings/settings-error.ts'

const NOTHING = { flags: {}, env: {} }

function errorsOf(run: () => unknown): readonly string[] {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error))
    return error.errors
  }
  return []
}

function createDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-config-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

const fromFile = (text: string) => resolveSettings({ ...NOTHING, file: { name: 'c.yaml', text } })

test('the documented defaults apply when nothing is given', () => {
  const { settings, origins } = resolveSettings(NOTHING)
  assert.equal(settings.port, 1280)
  assert.equal(settings.host, '127.0.0.1')
  assert.equal(settings.dataDir, '.countersign')
  assert.equal(settings.database, 'sqlite')
  assert.equal(settings.dev, false)
  assert.equal(settings.adminPassword, null)
  assert.equal(settings.metrics.port, 1281)
  assert.deepEqual([settings.http.maxBodyBytes, settings.http.maxManagementBodyBytes], [65536, 1048576])
  assert.deepEqual([settings.http.maxHeaderBytes, settings.http.maxHeaderLines], [49152, 100])
  assert.deepEqual([settings.session.idleSeconds, settings.session.maxSeconds], [1800, 43200])
  assert.deepEqual(settings.cors.allowedOrigins, ['*'])
  assert.equal(settings.jwks.allowPrivateAddresses, false)
  assert.deepEqual(new Set(origins.values()), new Set(['default']))
  assert.equal(origins.size, SETTING_ROWS.length)
})

test('flags override the environment, which overrides the file, which overrides the defaults', () => {
  const file = { name: 'c.yaml', text: 'port: 3\nhost: 10.0.0.3\nlogLevel: warn' }
  const { settings, origins } = resolveSettings({
    flags: { port: '1' },
    env: { COUNTERSIGN_PORT: '2', COUNTERSIGN_HOST: '10.0.0.2' },
    file,
  })
  assert.deepEqual([settings.port, settings.host, settings.logLevel], [1, '10.0.0.2', 'warn'])
  assert.deepEqual(
    ['port', 'host', 'logLevel', 'dataDir'].map((key) => origins.get(key)),
    ['flag', 'environment', 'file', 'default'],
  )
})

test('every setting can be given in the environment and in the file, with the same effect', () => {
  const samples: { readonly [key: string]: readonly [string, string] } = {
    dataDir: ['data', 'data'],
    host: ['::1', '"::1"'],
    port: ['5', '5'],
    advertise: ['a.test:1,[::1]:2', '["a.test:1", "[::1]:2"]'],
    database: ['postgresql:///x', 'postgresql:///x'],
    'store.staleReadSeconds': ['30', '30'],
    workers: ['3', '3'],
    dev: ['true', 'true'],
    logLevel: ['debug', 'debug'],
    adminPassword: ['pass word', 'pass word'],
    sealingKey: [`a1${'0f'.repeat(31)}`, `a1${'0f'.repeat(31)}`],
    clientScopes: ['array', 'array'],
    'http.trustedProxies': ['10.0.0.0/8 ::1', '[10.0.0.0/8, "::1"]'],
    'http.proxyProtocol': ['10.0.0.0/8 ::1', '[10.0.0.0/8, "::1"]'],
    'tls.certFile': ['c.pem', 'c.pem'],
    'tls.keyFile': ['k.pem', 'k.pem'],
    'tls.caFile': ['a.pem', 'a.pem'],
    'cors.allowedOrigins': ['https://a.test', '["https://a.test"]'],
    'events.stdout': ['true', 'true'],
    'events.file': ['events.jsonl', 'events.jsonl'],
    'keys.refusedKeysFile': ['refused.txt', 'refused.txt'],
    'passkeys.domain': ['a.test', 'a.test'],
    'oidc.enabled': ['false', 'false'],
    'oidc.redirectUris': ['https://a.test/b', '["https://a.test/b"]'],
    'oidc.postLogoutUris': ['a://b', '["a://b"]'],
    'whatIf.keepLogins': ['false', 'false'],
    'whatIf.keepClaims': ['email,hd', '[email, hd]'],
    'jwks.allowHttp': ['LocalHost', '[LocalHost]'],
    'jwks.allowPrivateAddresses': ['true', 'true'],
    'jwks.allowLoopback': ['true', 'true'],
    'jwks.allowedNetworks': ['10.1.0.0/16', '[10.1.0.0/16]'],
    'jwks.deniedNetworks': ['fd00::/8', '["fd00::/8"]'],
    'jwks.allowedHosts': ['*.a.test', '["*.a.test"]'],
    'jwks.deniedHosts': ['b.test', '[b.test]'],
    'jwks.allowedPorts': ['443,8000-8010', '[443, 8000-8010]'],
  }
  const env: Record<string, string> = {}
  const lines: string[] = []
  for (const { key, path, env: name, setting } of SETTING_ROWS) {
    const [inEnvironment, inFile] = samples[key] ?? [
      String(Number(setting.default) + 1),
      `${Number(setting.default) + 1}`,
    ]
    env[name] = inEnvironment
    lines.push(path.length === 1 ? `${key}: ${inFile}` : `${path[0]}.${path[1]}: ${inFile}`)
  }
  // Sections are written by grouping the dotted lines.
  const bySection = Map.groupBy(lines, (line) => (/^[a-z]+\./i.test(line) ? (line.split('.', 1)[0] ?? '') : ''))
  const text = [...bySection]
    .map(([section, members]) =>
      section === ''
        ? members.join('\n')
        : [`${section}:`, ...members.map((m) => `  ${m.slice(section.length + 1)}`)].join('\n'),
    )
    .join('\n')
  const viaEnvironment = resolveSettings({ flags: {}, env })
  const viaFile = fromFile(text)
  assert.deepEqual(viaEnvironment.settings, viaFile.settings)
  assert.deepEqual(new Set(viaEnvironment.origins.values()), new Set(['environment']))
  assert.deepEqual(new Set(viaFile.origins.values()), new Set(['file']))
  assert.deepEqual(viaFile.settings.jwks.allowedPorts, [
    { from: 443, to: 443 },
    { from: 8000, to: 8010 },
  ])
  assert.deepEqual(viaFile.settings.jwks.allowHttp, ['localhost'])
})

test('a flag takes text, a repeated one a list, and --no-dev means false', () => {
  const { settings } = resolveSettings({
    flags: { advertise: ['a.test:1', 'b.test:2,c.test:3'], dev: false, json: true },
    env: { COUNTERSIGN_DEV: 'true' },
  })
  assert.deepEqual(settings.advertise, ['a.test:1', 'b.test:2', 'c.test:3'])
  assert.equal(settings.dev, false)
})

test('with a port other than the default the metrics port is a free one, unless it is set', () => {
  assert.equal(resolveSettings({ flags: { port: '1280' }, env: {} }).settings.metrics.port, 1281)
  for (const port of ['0', '1380']) {
    assert.equal(resolveSettings({ flags: { port }, env: {} }).settings.metrics.port, 0, port)
  }
  const explicit = resolveSettings({ flags: { port: '0' }, env: { COUNTERSIGN_METRICS_PORT: '99' } })
  assert.equal(explicit.settings.metrics.port, 99)
})

test('an empty variable counts as unset', () => {
  const { settings, origins } = resolveSettings({ flags: {}, env: { COUNTERSIGN_PORT: '', COUNTERSIGN_NONSENSE: '' } })
  assert.equal(settings.port, 1280)
  assert.equal(origins.get('port'), 'default')
})

test('an empty file and an empty section are accepted', () => {
  assert.equal(fromFile('').settings.port, 1280)
  assert.equal(fromFile('# nothing\nhttp:\n  # nothing\n').settings.port, 1280)
})

/** Key of the error, an invalid value, a valid twin. All as one line of YAML. */
const MISTAKES: readonly (readonly [key: string, bad: string, good: string])[] = [
  ['port', 'port: abc', 'port: 1'],
  ['port', 'port: "1"', 'port: 1'],
  ['port', 'port: 65536', 'port: 65535'],
  ['port', 'port: -1', 'port: 0'],
  ['port', 'port: 1.5', 'port: 1'],
  ['port', 'port: null', 'port: 1'],
  ['port', 'port: [1]', 'port: 1'],
  ['host', 'host: "a b"', 'host: a-b'],
  ['host', 'host: 256.0.0.1', 'host: 255.0.0.1'],
  ['host', 'host: ""', 'host: "::"'],
  ['dataDir', 'dataDir: "a\\u0007"', 'dataDir: "a"'],
  ['advertise', 'advertise: [a.test]', 'advertise: ["a.test:1"]'],
  ['advertise', 'advertise: ["a.test:0"]', 'advertise: ["a.test:1"]'],
  ['advertise', 'advertise: ["::1:1"]', 'advertise: ["[::1]:1"]'],
  ['advertise', 'advertise: "a.test:1"', 'advertise: ["a.test:1"]'],
  ['database', 'database: mysql://h/d', 'database: postgres://h/d'],
  ['database', 'database: sqlite3', 'database: sqlite'],
  ['store.staleReadSeconds', 'store: { staleReadSeconds: 301 }', 'store: { staleReadSeconds: 300 }'],
  ['workers', 'workers: 0', 'workers: 2'],
  ['workers', 'workers: automatic', 'workers: auto'],
  ['dev', 'dev: yes', 'dev: true'],
  ['logLevel', 'logLevel: loud', 'logLevel: debug'],
  ['adminPassword', 'adminPassword: abcd', 'adminPassword: abcde'],
  ['sealingKey', `sealingKey: ${'a'.repeat(63)}`, `sealingKey: ${'a'.repeat(64)}`],
  ['sealingKey', `sealingKey: ${'a'.repeat(63)}g`, `sealingKey: ${'a'.repeat(63)}F`],
  ['adminPassword', `adminPassword: ${'a'.repeat(101)}`, `adminPassword: ${'a'.repeat(100)}`],
  ['clientScopes', 'clientScopes: list', 'clientScopes: array'],
  ['http.trustedProxies', 'http: { trustedProxies: [10.0.0.0/33] }', 'http: { trustedProxies: [10.0.0.0/32] }'],
  ['http.trustedProxies', 'http: { trustedProxies: [proxy] }', 'http: { trustedProxies: [10.0.0.1] }'],
  ['http.trustedProxies', 'http: { trustedProxies: ["::/129"] }', 'http: { trustedProxies: ["::/128"] }'],
  ['session.idleSeconds', 'session: { idleSeconds: 59 }', 'session: { idleSeconds: 60 }'],
  ['session.maxSeconds', 'session: { maxSeconds: 1799 }', 'session: { maxSeconds: 1800 }'],
  ['tls.certFile', 'tls: { certFile: a }', 'tls: { certFile: a, keyFile: b, caFile: c }'],
  ['tls.certFile', 'tls: { certFile: a, keyFile: b }', 'tls: { certFile: a, keyFile: b, caFile: c }'],
  ['tls.certFile', 'tls: { certFile: a, caFile: c }', 'tls: { certFile: a, keyFile: b, caFile: c }'],
  ['tls.keyFile', 'tls: { keyFile: b, caFile: c }', 'tls: { certFile: a, keyFile: b, caFile: c }'],
  ['tls.caFile', 'tls: { caFile: c }', 'tls: { certFile: a, keyFile: b, caFile: c }'],
  [
    'cors.allowedOrigins',
    'cors: { allowedOrigins: ["https://a.test/"] }',
    'cors: { allowedOrigins: ["https://a.test"] }',
  ],
  ['cors.allowedOrigins', 'cors: { allowedOrigins: ["*", "https://a.test"] }', 'cors: { allowedOrigins: ["*"] }'],
  ['cors.allowedOrigins', 'cors: { allowedOrigins: ["null"] }', 'cors: { allowedOrigins: [] }'],
  ['jwks.allowedHosts', 'jwks: { allowedHosts: ["a.*.test"] }', 'jwks: { allowedHosts: ["*.test"] }'],
  ['jwks.allowHttp', 'jwks: { allowHttp: ["http://a.test"] }', 'jwks: { allowHttp: [a.test] }'],
  ['jwks.allowedPorts', 'jwks: { allowedPorts: [0] }', 'jwks: { allowedPorts: [1] }'],
  ['jwks.allowedPorts', 'jwks: { allowedPorts: [9-1] }', 'jwks: { allowedPorts: [1-9] }'],
  ['metrics.port', 'metrics: { port: 1280 }', 'metrics: { port: 1279 }'],
  ['http', 'http: 3', 'http: {}'],
  ['prot', 'prot: 3', 'port: 3'],
  ['__proto__', '__proto__: { port: 3 }', 'port: 3'],
]

for (const [key, bad, good] of MISTAKES) {
  test(`refuses "${bad.slice(0, 60)}", accepts "${good.slice(0, 60)}"`, () => {
    const errors = errorsOf(() => fromFile(bad))
    assert.equal(errors.length, 1, errors.join('\n'))
    assert.ok(errors[0]?.startsWith(`file c.yaml: ${key}: `), errors[0])
    assert.deepEqual(
      errorsOf(() => fromFile(good)),
      [],
    )
  })
}

/** Files that are not settings, with a valid twin. */
const BROKEN_FILES: readonly (readonly [name: string, bad: string, good: string])[] = [
  ['a key twice', 'port: 1\nport: 2', 'port: 1'],
  ['an alias', 'dataDir: &a x\nhost: *a', 'dataDir: &a x\nhost: x'],
  ['two documents', 'port: 1\n---\nport: 2', '---\nport: 1'],
  ['a list', '- port: 1', 'port: 1'],
  ['a word', 'port', 'port: 1'],
  ['an unclosed bracket', 'advertise: [', 'advertise: []'],
  ['a tag of another program', 'port: !!js/function 1', 'port: !!int 1'],
]

for (const [name, bad, good] of BROKEN_FILES) {
  test(`refuses a file with ${name}, and accepts its twin`, () => {
    const errors = errorsOf(() => fromFile(bad))
    assert.ok(errors.length > 0)
    for (const error of errors) assert.ok(error.startsWith('file c.yaml: ') && !error.includes('\n'), error)
    fromFile(good)
  })
}

test('reports all errors of all sources at once, each with its source', () => {
  const errors = errorsOf(() =>
    resolveSettings({
      flags: { port: 'abc' },
      env: { COUNTERSIGN_LOG_LEVEL: 'loud', COUNTERSIGN_PROT: '1' },
      file: { name: 'c.yaml', text: 'port: 70000\nhttp:\n  trustedProxy: [x]\n' },
    }),
  )
  assert.deepEqual([...errors].sort(), [
    'environment COUNTERSIGN_LOG_LEVEL: must be one of silent, fatal, error, warn, info, debug, trace, got "loud"',
    'environment COUNTERSIGN_PROT: is not a setting, did you mean COUNTERSIGN_PORT?',
    'file c.yaml: http.trustedProxy: is not a setting, did you mean http.trustedProxies?',
    'file c.yaml: port: must be a whole number from 0 to 65535, got 70000',
    'flag --port: must be a whole number from 0 to 65535, got "abc"',
  ])
})

test('a key in the wrong section gets a hint to the right one, and an unknown one gets none', () => {
  assert.match(errorsOf(() => fromFile('trustedProxies: []'))[0] ?? '', /did you mean http\.trustedProxies\?$/)
  assert.match(errorsOf(() => fromFile('frobnicate: 1'))[0] ?? '', /is not a setting$/)
})

test('a refused secret is not repeated in the error', () => {
  const env = { COUNTERSIGN_ADMIN_PASSWORD: 'hun', COUNTERSIGN_DATABASE: 'postgre://u:hunter2@h/d' }
  const errors = errorsOf(() => resolveSettings({ flags: {}, env }))
  assert.equal(errors.length, 2)
  assert.doesNotMatch(errors.join('\n'), /hun/)
  const broken = errorsOf(() => fromFile('adminPassword: "hunter2\nport: 1'))
  assert.ok(broken.length > 0)
  assert.doesNotMatch(broken.join('\n'), /hunter2/)
})

test('variables that Kubernetes creates for a service named countersign are not settings', () => {
  const { settings } = resolveSettings({
    flags: {},
    env: {
      COUNTERSIGN_PORT: 'tcp://10.0.0.1:1280',
      COUNTERSIGN_SERVICE_HOST: '10.0.0.1',
      COUNTERSIGN_SERVICE_PORT_API: '1280',
      COUNTERSIGN_PORT_1280_TCP_ADDR: '10.0.0.1',
      COUNTERSIGN_CONFIG: '',
      COUNTERSIGN_DEBUG: '1',
      COUNTERSIGN_HOSTED_URL: 'https://hosted.test',
    },
  })
  assert.equal(settings.port, 1280)
  assert.equal(errorsOf(() => resolveSettings({ flags: {}, env: { COUNTERSIGN_PORT: 'http://10.0.0.1' } })).length, 1)
})

test('loads the file named by --config, else by COUNTERSIGN_CONFIG', (t) => {
  const directory = createDirectory(t)
  const one = join(directory, 'one.yaml')
  const two = join(directory, 'two.yaml')
  writeFileSync(one, 'port: 1')
  writeFileSync(two, 'port: 2')
  assert.equal(loadSettings({ flags: { config: one }, env: { COUNTERSIGN_CONFIG: two } }).settings.port, 1)
  assert.equal(loadSettings({ flags: {}, env: { COUNTERSIGN_CONFIG: two } }).settings.port, 2)
})

test('an unreadable file is one error among the others', (t) => {
  const directory = createDirectory(t)
  const binary = join(directory, 'binary')
  const large = join(directory, 'large')
  writeFileSync(binary, Buffer.from([0xff, 0xfe]))
  writeFileSync(large, Buffer.alloc(1_048_577, '#'))
  for (const [config, why] of [
    [join(directory, 'none.yaml'), 'does not exist'],
    [directory, 'is a directory'],
    [binary, 'is not UTF-8 text'],
    [large, 'is larger than 1048576 bytes'],
  ] as const) {
    const errors = errorsOf(() => loadSettings({ flags: { config, port: 'x' }, env: {} }))
    assert.equal(errors[0], `file ${config}: ${why}`)
    assert.match(errors[1] ?? '', /^flag --port: /)
  }
  writeFileSync(large, Buffer.alloc(1_048_576, '#'))
  assert.equal(loadSettings({ flags: { config: large }, env: {} }).settings.port, 1280)
})
