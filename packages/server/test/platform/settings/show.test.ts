import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideUrlPassword } from '../../../src/platform/settings/database-url.ts'
import { resolveSettings } from '../../../src/platform/settings/load.ts'
import { SETTING_ROWS } from '../../../src/platform/settings/setting-row.ts'
import { showSettings, showSettingsAsJson } from '../../../src/platform/settings/show.ts'

const LOADED = resolveSettings({
  flags: { port: '0', database: 'postgres://user:hunter2@host/db?sslmode=require&sslpassword=hunter3' },
  env: { COUNTERSIGN_ADMIN_PASSWORD: 'hunter4', COUNTERSIGN_ADVERTISE: 'a.test:1,b.test:2' },
})

function lineOf(key: string): string {
  return (
    showSettings(LOADED)
      .find((line) => line.startsWith(`${key} = `))
      ?.replace(/ {2,}/, '   ') ?? ''
  )
}

test('shows every setting with its value and its origin', () => {
  const lines = showSettings(LOADED)
  assert.equal(lines.length, SETTING_ROWS.length)
  assert.equal(lineOf('port'), 'port = 0   (flag)')
  assert.equal(lineOf('advertise'), 'advertise = a.test:1, b.test:2   (environment)')
  assert.equal(lineOf('http.trustedProxies'), 'http.trustedProxies = (none)   (default)')
  assert.equal(lineOf('jwks.allowedPorts'), 'jwks.allowedPorts = 80, 443, 1024-65535   (default)')
  assert.equal(lineOf('tls.certFile'), 'tls.certFile = (unset)   (default)')
})

test('hides secrets, in lines and in JSON, and shows the rest of a database URL', () => {
  const json = showSettingsAsJson(LOADED)
  const shown = 'postgres://user:***@host/db?sslmode=require&sslpassword=***'
  assert.equal(lineOf('adminPassword'), 'adminPassword = (hidden)   (environment)')
  assert.equal(lineOf('database'), `database = ${shown}   (flag)`)
  assert.deepEqual(json.adminPassword, { value: '(hidden)', origin: 'environment' })
  assert.deepEqual(json.database, { value: shown, origin: 'flag' })
  assert.doesNotMatch(JSON.stringify(json) + showSettings(LOADED).join(), /hunter/)
})

test('an unset secret is shown as unset, and the embedded database by its name', () => {
  const json = showSettingsAsJson(resolveSettings({ flags: {}, env: {} }))
  assert.deepEqual(json.adminPassword, { value: null, origin: 'default' })
  assert.deepEqual(json.database, { value: 'sqlite', origin: 'default' })
})

test('JSON values have the form of a settings file', () => {
  const json = showSettingsAsJson(LOADED)
  assert.deepEqual(json.port, { value: 0, origin: 'flag' })
  assert.deepEqual(json.advertise?.value, ['a.test:1', 'b.test:2'])
  assert.deepEqual(json['jwks.allowedPorts']?.value, ['80', '443', '1024-65535'])
  assert.deepEqual(json['jwks.allowedHosts']?.value, [])
})

test('a URL without a password is shown unchanged', () => {
  assert.equal(hideUrlPassword('postgres://user@host/db'), 'postgres://user@host/db')
  assert.equal(hideUrlPassword('postgres://user:p%40ss@host/db?password=x'), 'postgres://user:***@host/db?password=***')
})
