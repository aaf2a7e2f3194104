import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { httpRooms } from './http-rooms.ts'
import { importCircles } from './import-circles.ts'
import { packageDirection } from './package-direction.ts'
import { serverRooms } from './server-rooms.ts'
import { sqlInStore } from './sql-in-store.ts'

for (const { name, look, planted } of [packageDirection, importCircles, serverRooms, httpRooms, sqlInStore]) {
  test(`the check "${name}" finds nothing in the planted files that keep the rule`, async () => {
    const { problems } = await look(join(import.meta.dirname, '../planted', planted.folder))
    const unexpected = problems.filter((problem) => !planted.expect.some((text) => problem.includes(text)))
    assert.deepEqual(unexpected, [])
  })
}
