import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createControllerStage } from '@countersign/testkit'

test('R-13 J-19 under umask 000, data, keys and database are still accessible only to the owner', async (t) => {
  const stage = createControllerStage(t)
  const controller = await stage.start({ before: 'umask 000' })
  await controller.logIn()
  const modeOf = (name: string) => (statSync(join(controller.dataDir, name)).mode & 0o777).toString(8)
  assert.equal(modeOf(''), '700')
  assert.equal(modeOf('keys'), '700')
  const names = readdirSync(controller.dataDir, { recursive: true, encoding: 'utf8' })
  const keys = names.filter((name) => name.endsWith('.key'))
  const databases = names.filter((name) => name.startsWith('countersign.db') || name === 'lock')
  assert.deepEqual(keys.sort(), ['keys/intermediate.key', 'keys/root.key', 'keys/sealing.key', 'keys/server.key'])
  assert.ok(databases.includes('countersign.db-wal'), 'the database is checked while it is open')
  for (const name of [...keys, ...databases]) assert.equal(modeOf(name), '600', name)
  // Certificates are not secret, but only the owner can change them.
  for (const name of names) assert.match(modeOf(name), /^[67][04][04]$/, name)
})
