import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createControllerStage, makeTestAuthority, makeTestCertificate } from '@countersign/testkit'
import { parse } from 'yaml'
import { COMMANDS } from '../src/commands.ts'
import { listFlags } from '../src/parse-flags.ts'
import { runCaptured } from './captured-run.ts'

const stage = createControllerStage({ after })
const started = stage.start({ args: ['--dev'] })

/** Commands without `-o`, or whose output is parsed elsewhere. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  completion: 'prints a shell script, which has no other form',
  up: 'runs until it is stopped; output.script parses what it prints when ready',
  'accounts pick-up': 'needs a planned rotation that is due; it prints like accounts rotate',
  'account-jobs repeat': 'needs a provider that fails first; providers.test.ts parses its output',
  'account-jobs dismiss': 'needs a provider that fails first; providers.test.ts parses its output',
  'recover-admin': 'needs a controller that is stopped; a script of e2e runs it',
  'passkeys list': 'needs a passkey of a browser; it prints like authenticators list',
  'passkeys revoke': 'needs a passkey of a browser',
  'decisions add-test-case': 'needs a refused login with a valid token',
  'signers push-keys': 'needs a server with keys; manage.script runs it',
  'what-if': 'what-if.test.ts parses its output',
  test: 'what-if.test.ts runs it',
  'sinks edit': 'sinks update prints the same',
  'identities reset-codes': 'prints like identities disable',
  'identities end-sessions': 'prints like identities disable',
  'networks update': 'prints like networks create',
  'networks delete': 'prints like providers delete',
  'providers update': 'prints like providers create',
}

/** Changes print by one function, which print-result.test.ts has in all formats; what reads is run in each format. */
const READING =
  /(?:^| )(?:list|show|version|help|trust|whoami|doctor|discover|explain|jwt|api|export|audience|token|quotas)$|^(?:sinks|providers) test$|^audit verify$|^signers (?:refresh|confirm-keys)$/
const FORMATS = ['json', 'yaml', 'name'] as const
type Format = (typeof FORMATS)[number]

/** Formats in which a command has nothing to print. */
const NOT_BY_NAME: Readonly<Record<string, string>> = {
  explain: 'a token without an identity has no name',
  'account-jobs list': 'the list is empty',
}

const PARSERS: Readonly<Record<Format, (command: string, stdout: string) => void>> = {
  json: (command, stdout) => assert.equal(typeof JSON.parse(stdout), 'object', command),
  yaml: (command, stdout) => assert.equal(typeof parse(stdout), 'object', command),
  name: (command, stdout) => assert.match(stdout, /^(?:[^\n{}[\]]+\n)+$/, command),
}

test('every command takes -o, except those whose reason is listed', async () => {
  for (const row of COMMANDS) {
    const hasOutput = listFlags(await row.load()).some(({ name }) => name === 'output')
    assert.equal(hasOutput, row.name !== 'completion', row.name)
  }
})

test('every command yields parseable output', async () => {
  const { ready } = await started
  const home = join(stage.folder, 'home')
  mkdirSync(home)
  const env = { HOME: home, EDITOR: 'true' }
  const at = (name: string) => join(home, name)
  const done = new Set<string>()
  const plain = (words: readonly string[], stdin = '') =>
    runCaptured(words, { env, input: { readAll: async () => stdin } })
  const check = async (command: string, args: readonly string[] = [], stdin = '', expected = [0]) => {
    const words = [...command.split(' '), ...args]
    for (const format of READING.test(command) ? FORMATS : FORMATS.slice(0, 1)) {
      if (format === 'name' && Object.hasOwn(NOT_BY_NAME, command)) continue
      const more = ['-o', format, ...(isLocal(command) ? [] : ['-q'])]
      const { exitCode, stdout, stderr } = await plain([...words, ...more], stdin)
      assert.ok(expected.includes(exitCode), `${words.join(' ')} -o ${format}: ${exitCode} ${stderr}`)
      PARSERS[format](command, stdout)
    }
    done.add(command)
  }
  const idOf = async (...words: string[]): Promise<string> => {
    const { stdout, stderr } = await plain([...words, '-o', 'json', '-q'])
    assert.notEqual(stdout, '', stderr)
    const found = JSON.parse(stdout)
    return (Array.isArray(found) ? found[0] : found).id
  }
  const password = `${ready.admin.password}\n`
  const name = 'example-1'

  // On this machine.
  for (const command of ['version', 'help', 'config show']) await check(command)
  await check('help', ['signers', 'list'])
  await check('backup', [at('backup'), '--data-dir', ready.dataDir])
  await check('restore', [at('backup'), '--data-dir', at('restored')])

  // Login.
  await check('login', [ready.baseUrl, '-u', 'admin', '--password-stdin', '--ca-file', ready.caFile], password)
  for (const command of ['trust', 'whoami']) await check(command)
  await check('doctor', [], '', [0, 1])

  // Signers and their tokens.
  const issuer = `https://${name}.example`
  await check('signers create', [name, '--issuer', issuer, '--audience', 'a', '--jwks-endpoint', `${issuer}/jwks`])
  await check('signers list')
  for (const verb of ['show', 'disable', 'enable']) await check(`signers ${verb}`, [name])
  await check('signers update', [name, '--audience', 'b'])
  await check('signers edit', [name])
  await check('signers trust', [name, '--yes'])
  await check('signers refresh', [name], '', [0, 1])
  await check('signers confirm-keys', [name, '--yes'])
  await check('signers discover', [ready.identityProviderUrl ?? ''])
  const scimToken = await idOf('scim-tokens', 'create', name)
  await check('scim-tokens create', [name])
  await check('scim-tokens list', [name])
  await check('scim-tokens delete', [name, scimToken, '--yes'])
  const token = [{ alg: 'none' }, { iss: issuer }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  writeFileSync(at('token'), `${token.join('.')}.AA`)
  await check('explain', [at('token')], '', [4])

  // Policies and CAs.
  await check('policies create', [name])
  await check('policies list')
  await check('policies show', [name])
  await check('policies update', [name, '--require-totp'])
  await check('policies edit', [name])
  const tail = check('events tail', ['--count', '1', '--namespace', 'entityChange'])
  let hasEnded = false
  void tail.finally(() => {
    hasEnded = true
  })
  for (let turn = 0; !hasEnded; turn++) {
    await plain(['policies', 'update', name, '--set', `tags.turn=${turn}`])
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await tail
  const authority = makeTestAuthority({ commonName: name, keyUsage: 'keyCertSign' })
  writeFileSync(at('ca.pem'), authority.pem)
  await check('cas create', [name, '--cert', at('ca.pem'), '--auto-enrollment'])
  await check('cas list')
  for (const verb of ['show', 'edit', 'jwt']) await check(`cas ${verb}`, [name])
  await check('cas update', [name, '--no-auto-enrollment'])
  await check('cas trust', [name, '--yes'])
  const { verificationToken } = JSON.parse((await plain(['cas', 'show', name, '-o', 'json'])).stdout)
  writeFileSync(at('proof.pem'), makeTestCertificate({ commonName: verificationToken, issuer: authority }).pem)
  await check('cas verify', [name, '--cert', at('proof.pem')])
  await check('cas delete', [name, '--yes'])

  // Identities and what they own.
  await check('identities create', [name, '--enroll', '--enroll-file', at('x.jwt')])
  await check('identities list')
  for (const verb of ['show', 'edit', 'disable', 'enable']) await check(`identities ${verb}`, [name])
  await check('identities update', [name, '--attribute', 'a'])
  await check('enrollments list')
  await check('enrollments show', [name])
  await check('enrollments renew', [name, '--out', at('x.jwt')])
  await check('enroll', [at('x.jwt'), '--out', at('x')])
  await check('renew', [at('x.crt')])
  await check('authenticators list', ['--identity', name])
  await check('authenticators show', [name])
  await check('authenticators reset', [name, '--out', at('y.jwt'), '--yes'])
  await check('enrollments revoke', [name, '--yes'])
  await plain(['identities', 'create', `${name}-2`, '--enroll-username', name, '--enroll-file', at('z.jwt')])
  await plain(['enroll', at('z.jwt'), '--password-stdin'], 'a long password\n')
  const login = ['login', ready.baseUrl, '-u', name, '--password-stdin', '--ca-file', ready.caFile, '--profile', 'p']
  assert.equal((await plain(login, 'wrong\n')).exitCode, 4)
  assert.equal((await plain(login, 'a long password\n')).exitCode, 0)
  await check('decisions list')
  await check('decisions show', [await idOf('decisions', 'list')])
  await check('sessions list')
  const session = await idOf(
    'sessions',
    'list',
    '--filter',
    `identity = "${await idOf('identities', 'show', `${name}-2`)}"`,
  )
  await check('sessions show', [session])
  await check('sessions delete', [session, '--yes'])
  await check('authenticators revoke', [`${name}-2`, '--yes'])
  await check('identities delete', [name, '--yes'])
  await check('api', ['GET', 'identities'])
  writeFileSync(at('state.yaml'), `identities: [{ name: ${name}-3 }]`)
  await check('apply', ['-f', at('state.yaml'), '--yes'])
  await check('export')

  // The hosted API.
  await check('token', ['--credentials', join(ready.dataDir, 'credentials.json')])
  for (const list of ['networks', 'accounts', 'audit-events', 'organizations', 'roles', 'account-jobs', 'providers']) {
    await check(`${list} list`)
  }
  const network = await idOf('networks', 'list')
  await check('networks show', [network])
  await check('networks create', [name, '--controller-url', 'https://plant.example.com:1280'])
  await check('roles show', ['admin'])
  const uris = ['--jwks-uri', `${issuer}/keys`, '--token-url', `${issuer}/token`]
  await check('providers create', [name, '--issuer', issuer, ...uris])
  await check('providers show', [name])
  await check('providers test', [name])
  const out = ['--out', at('account.json')]
  await check('accounts create', [name, '--provider', 'Local user pool', ...out])
  for (const verb of ['show', 'disable', 'enable']) await check(`accounts ${verb}`, [name])
  await check('accounts update', [name, '--description', 'x'])
  await check('accounts rotate', [name, '--overlap', '0', ...out])
  await check('accounts audience')
  await check('accounts delete', [name, '--yes'])
  await check('providers delete', [name, '--yes'])
  const body = JSON.stringify({ name, label: 'X-ONE' })
  assert.equal((await plain(['api', 'POST', '/identity/v1/organizations', '-d', body])).exitCode, 0)
  await check('organizations show', [name])
  await check('organizations suspend', [name, '--yes'])
  await check('organizations resume', [name])
  await check('organizations quotas', [name])

  await check('sinks create', [name, '--kind', 'file'])
  await check('sinks list')
  await check('sinks show', [name])
  await check('sinks update', [name, '--format', 'cloudevents'])
  await check('sinks test', [name])
  await check('sinks replay', [name, '--from', '1'])
  await check('sinks delete', [name, '--yes'])
  await check('audit list')
  await check('audit export', [at('audit.jsonl')])
  await check('audit verify', [at('audit.jsonl')])
  await check('policies delete', [name, '--yes'])
  await check('signers delete', [name, '--yes'])
  await check('logout')
  const missing = COMMANDS.flatMap((row) =>
    done.has(row.name) || Object.hasOwn(EXCEPTIONS, row.name) ? [] : [row.name],
  )
  assert.deepEqual(missing, [])
})

/** These commands make no call, and have no `--quiet`. */
function isLocal(command: string): boolean {
  return ['version', 'help', 'config show', 'backup', 'restore'].includes(command)
}
