import assert from 'node:assert/strict'
import { readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder } from '../temporary-folder.fixture.ts'
import { findMemoryFolder } from './memory-folder.ts'

test('a folder with enough space, in which programs run, is used and left as it was', (t) => {
  const folder = makeFolder(t, { file: '' })
  const { bavail, bsize } = statfsSync(folder)
  assert.equal(findMemoryFolder(folder, bavail * bsize - 2 ** 30), folder)
  assert.equal(findMemoryFolder(folder, bavail * bsize + 2 ** 30), undefined)
  assert.equal(findMemoryFolder(join(folder, 'missing'), 0), undefined)
  assert.deepEqual(readdirSync(folder), ['file'])
})
