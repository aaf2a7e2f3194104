import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import fastify from 'fastify'
import { buildConfigurationPage } from '../../../src/platform/settings/configuration-page.ts'
import { buildSettingsSchema } from '../../../src/platform/settings/json-schema.ts'
import { SETTING_ROWS } from '../../../src/platform/settings/setting-row.ts'

const DOCS = new URL('../../../../../docs/', import.meta.url)

function assertFresh(name: string, text: string): void {
  const file = new URL(name, DOCS)
  if (process.env.UPDATE_DOCS) writeFileSync(file, text)
  assert.equal(readFileSync(file, 'utf8'), text, `docs/${name} is stale: run the tests with UPDATE_DOCS=1`)
}

test('docs/countersign.schema.json matches the table', () => {
  assertFresh('countersign.schema.json', `${JSON.stringify(buildSettingsSchema(), null, 2)}\n`)
})

test('docs/configuration.md matches the table', () => {
  assertFresh('configuration.md', buildConfigurationPage())
})

test('names of flags and variables are unique, and the short ones are as documented', () => {
  const flags = SETTING_ROWS.map((row) => row.flag).filter((flag) => flag !== null)
  const variables = SETTING_ROWS.map((row) => row.env)
  assert.equal(new Set(flags).size, flags.length)
  assert.equal(new Set(variables).size, variables.length)
  for (const flag of ['data-dir', 'host', 'port', 'advertise', 'database', 'workers', 'dev'])
    assert.ok(flags.includes(flag))
  for (const name of ['PORT', 'DATA_DIR', 'ADMIN_PASSWORD', 'HTTP_TRUSTED_PROXIES', 'JWKS_ALLOW_HTTP']) {
    assert.ok(variables.includes(`COUNTERSIGN_${name}`), name)
  }
})

test('the administrator password has no flag, since command lines are public', () => {
  assert.equal(SETTING_ROWS.find((row) => row.key === 'adminPassword')?.flag, null)
})

test('every setting has a description of one line', () => {
  for (const { key, setting } of SETTING_ROWS) assert.match(setting.description, /^[^\n.].{9,118}[^.\n]$/, key)
})

test('every default is a value that its setting accepts', () => {
  for (const { key, setting } of SETTING_ROWS) {
    if (setting.default === null) continue
    const written = Array.isArray(setting.default)
      ? setting.default.map((item) => formatItem(setting, item))
      : setting.default
    assert.deepEqual(setting.read(written), { value: setting.default }, key)
  }
})

function formatItem(setting: (typeof SETTING_ROWS)[number]['setting'], item: unknown): string {
  return setting.format([item])
}

test('the schema refuses unknown keys and wrong types, and accepts their twins', async (t) => {
  const app = fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false } } })
  t.after(() => app.close())
  app.post('/', { schema: { body: buildSettingsSchema() } }, () => ({}))
  const statusOf = async (payload: object) => (await app.inject({ method: 'POST', url: '/', payload })).statusCode
  const cases: readonly (readonly [bad: object, good: object])[] = [
    [{ prot: 1 }, { port: 1 }],
    [{ port: '1' }, { port: 1 }],
    [{ port: 65536 }, { port: 65535 }],
    [{ http: { trustedProxy: [] } }, { http: { trustedProxies: [] } }],
    [{ http: 1 }, { http: null }],
    [{ dev: 'true' }, { dev: true }],
    [{ clientScopes: 'list' }, { clientScopes: 'array' }],
    [{ advertise: 'a:1' }, { advertise: ['a:1'] }],
    [{ jwks: { allowedPorts: ['a'] } }, { jwks: { allowedPorts: [443, '1024-65535'] } }],
    [{ session: { idleSeconds: 59 } }, { session: { idleSeconds: 60 } }],
    [{ adminPassword: 'abcd' }, { adminPassword: 'abcde' }],
  ]
  for (const [bad, good] of cases) {
    assert.equal(await statusOf(bad), 400, JSON.stringify(bad))
    assert.equal(await statusOf(good), 200, JSON.stringify(good))
  }
})
