import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { listFiles, root } from '../paths.ts'

const page = readFileSync(join(root, 'docs', 'verifier-mutations.md'), 'utf8')
const titles = [...page.matchAll(/^\| [^|]+ \| ([^|]+) \|$/gm)].map(([, title = '']) => title.trim()).slice(1)

test('every mutation of the verifier names a test that exists', () => {
  const sources = listFiles(['packages/{core,server}/**/*.test.ts']).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  )
  const tests = sources.join('\n')
  assert.ok(titles.length > 50)
  assert.deepEqual(
    titles.filter((title) => !/^-+$/.test(title) && !tests.includes(title)),
    [],
  )
})
