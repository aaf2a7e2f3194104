import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { buildReadyLine, buildReadySummary } from '../src/ready-summary.ts'
import { shellQuote } from '../src/shell-quote.ts'

const READY = {
  baseUrl: 'https://127.0.0.1:1280',
  caFile: "/data/it's here/ca.pem",
  dataDir: "/data/it's here",
  pid: 42,
  admin: { username: 'admin', password: `pa'ss"word` },
  hostedBaseUrl: 'https://127.0.0.1:1280/hosted',
  consoleUrl: 'https://127.0.0.1:1280/console/',
  metricsUrl: 'http://127.0.0.1:1281/metrics',
  identityProviderUrl: null,
}
const LATER = { ...READY, admin: { username: 'admin', password: null } }

test('the ready line is one object with exactly the documented members, in order', () => {
  assert.deepEqual(JSON.parse(buildReadyLine(READY)), { ready: true, ...READY })
  assert.deepEqual(Object.keys(JSON.parse(buildReadyLine({ ...READY }))), [
    'ready',
    'baseUrl',
    'caFile',
    'dataDir',
    'pid',
    'admin',
    'hostedBaseUrl',
    'consoleUrl',
    'metricsUrl',
    'identityProviderUrl',
  ])
  assert.equal(JSON.parse(buildReadyLine(LATER)).admin.password, null)
})

test('the summary shows addresses, certificate and administrator, and the provider only when there is one', () => {
  const text = buildReadySummary(READY).join('\n')
  for (const value of [READY.baseUrl, READY.consoleUrl, READY.metricsUrl, READY.caFile, READY.admin.password]) {
    assert.ok(text.includes(value), value)
  }
  assert.ok(!text.includes('Identity provider'))
  const provider = 'https://127.0.0.1:1282'
  assert.ok(
    buildReadySummary({ ...READY, identityProviderUrl: provider })
      .join('\n')
      .includes(provider),
  )
})

test('the example logs in when the password is known, and is anonymous when not', () => {
  assert.ok(buildReadySummary(READY).join('\n').includes('authenticate?method=password'))
  const later = buildReadySummary(LATER).join('\n')
  assert.ok(!later.includes('authenticate') && later.includes('/edge/client/v1/external-jwt-signers'))
})

test('a password from the settings is not in the summary, which may end up in a log', () => {
  const text = buildReadySummary(READY, true).join('\n')
  assert.ok(!text.includes(READY.admin.password) && !text.includes(JSON.stringify(READY.admin.password)))
  assert.match(text, /Password +as set in the settings/)
  assert.match(buildReadySummary(LATER, true).join('\n'), /Password +as set on first start/)
})

test('Q-21 the example is quoted correctly for a shell, and has no password in the arguments of a program', () => {
  const lines = buildReadySummary(READY)
  const example = lines.slice(lines.findIndex((line) => line.startsWith('  session='))).slice(0, 4)
  // Replaces curl by a function that prints its arguments, and stdin if it is named, and responds like the server.
  const script = `curl() { printf '<%s>' "$@" >&2; case "$*" in *@-*) printf '[%s]' "$(cat)" >&2;; esac; printf 'zt-session: s3ss10n\\r\\n'; }\n${example.join('\n')}`
  const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.ok(stderr.includes(`<${READY.caFile}>`))
  const body = JSON.stringify({ username: 'admin', password: READY.admin.password })
  assert.deepEqual([stderr.includes(`[${body}]`), stderr.split(body).length], [true, 2], 'on stdin only')
  assert.ok(stderr.includes(`<${READY.baseUrl}/edge/management/v1/authenticate?method=password>`))
  assert.ok(stderr.endsWith(`<zt-session: s3ss10n><${READY.baseUrl}/edge/management/v1/ext-jwt-signers>`), stderr)
})

test('shell words are quoted only when needed, and unquote to the same text', () => {
  assert.equal(shellQuote('/a/b.pem'), '/a/b.pem')
  for (const word of ["it's", 'a b', '$HOME', '`x`', '', '*', 'a\\b', '"']) {
    assert.equal(spawnSync('sh', ['-c', `printf %s ${shellQuote(word)}`], { encoding: 'utf8' }).stdout, word)
  }
})
