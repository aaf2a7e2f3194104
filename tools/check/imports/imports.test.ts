import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { httpLayers } from './http-layers.ts'
import { importCycles } from './import-cycles.ts'
import { packageDirection } from './package-direction.ts'
import { serverLayers } from './server-layers.ts'
import { sqlInStore } from './sql-in-store.ts'

for (const { name, look, planted } of [packageDirection, importCycles, serverLayers, httpLayers, sqlInStore]) {
  test(`the check "${name}" accepts the planted files without a violation`, async () => {
    const { problems } = await look(join(import.meta.dirname, '../planted', planted.folder))
    const unexpected = problems.filter((problem) => !planted.expect.some((text) => problem.includes(text)))
    assert.deepEqual(unexpected, [])
  })
}
