import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../paths.ts'
import { makeFolder } from '../temporary-folder.fixture.ts'
import { groupFiles } from './file-groups.ts'

const sharing = Array.from({ length: 25 }, (_, nth) => join(root, `packages/server/test/http/${nth}.test.ts`))
const alone = [join(root, 'e2e/start/ready.test.ts'), join(root, 'packages/server/test/attack/connections.test.ts')]

test('short files share processes, each in one, and the entry of a group imports its files', (t) => {
  const groups = groupFiles([...sharing, ...alone], { folder: makeFolder(t, {}), concurrency: 2 })
  assert.deepEqual(groups.flatMap(({ files }) => files).toSorted(), [...sharing, ...alone].toSorted())
  const shared = groups.filter(({ files }) => files.length > 1)
  assert.deepEqual(
    shared.map(({ files }) => files.length),
    [13, 12],
  )
  for (const { entry, files } of shared) {
    const text = readFileSync(entry, 'utf8')
    for (const file of files) assert.ok(text.includes(file), file)
  }
})

test('a file that changes its process, or is the only one of its group, is its own entry', (t) => {
  const options = { folder: makeFolder(t, {}), concurrency: 3 }
  const own = [...alone, ...sharing.slice(0, 3)]
  for (const { entry, files } of groupFiles(own, options)) assert.deepEqual(files, [entry])
})

test('files that start programs come first, in their order', (t) => {
  const options = { folder: makeFolder(t, {}), concurrency: 2 }
  const [started = '', attacks = ''] = alone
  const later = join(root, 'e2e/start/stop.test.ts')
  const groups = groupFiles([...sharing, attacks, started, later], options)
  assert.deepEqual(
    groups.slice(0, 3).map(({ entry }) => entry),
    [started, later, attacks],
  )
})
