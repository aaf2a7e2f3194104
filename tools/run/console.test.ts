import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { makeFolder } from '../temporary-folder.fixture.ts'
import { ensureConsole, measureFirstLoad } from './console.js'
import { digestSources } from './ensure-built.js'

/** Stands in for vite: as many bytes of script as the source says, which do not get smaller, and a note of every run. */
const vite = `
  import { randomBytes } from 'node:crypto'
  import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
  const out = process.argv[process.argv.indexOf('--outDir') + 1]
  appendFileSync('../../runs', 'x')
  const source = readFileSync('src/main.tsx', 'utf8')
  if (source === 'broken') throw new Error('a mistake in main.tsx')
  mkdirSync(out + '/assets', { recursive: true })
  writeFileSync(out + '/index.html', '<script type="module" src="/console/assets/main.js"></script>')
  writeFileSync(out + '/assets/main.js', randomBytes(Number(source)).toString('latin1'), 'latin1')
  writeFileSync(out + '/assets/later.js', ' '.repeat(400000))`

const run = promisify(execFile)
const program = `
  import { ensureConsole } from ${JSON.stringify(new URL('console.js', import.meta.url).href)}
  await ensureConsole({ root: process.cwd(), node: process.execPath })`

function makeRepository(t: TestContext) {
  const root = makeFolder(t, {
    'package-lock.json': {},
    'packages/console/index.html': '',
    'packages/console/src/main.tsx': '1000',
    'node_modules/vite/package.json': { type: 'module' },
    'node_modules/vite/bin/vite.js': vite,
    runs: '',
  })
  return {
    root,
    /** In a process of its own, as every start is. */
    build: () => run(process.execPath, ['--input-type=module', '--eval', program], { cwd: root }),
    runs: () => readFileSync(join(root, 'runs'), 'utf8').length,
    change: (text: string) => writeFileSync(join(root, 'packages/console/src/main.tsx'), text),
    dist: join(root, 'packages/console/dist'),
  }
}

test('the console is built when its sources have changed, and only then', async (t) => {
  const { build, runs, change, dist, root } = makeRepository(t)
  await Promise.all([build(), build()])
  assert.equal(runs(), 1)
  assert.equal(readFileSync(join(dist, 'assets/main.js')).length, 1000)
  const packed = readFileSync(join(dist, 'assets/later.js.gz'))
  assert.equal(gunzipSync(packed).length, 400_000)
  assert.equal(existsSync(join(dist, 'assets/main.js.gz')), false, 'what gets no smaller is not packed')
  writeFileSync(join(root, 'packages/console/src/main.test.ts'), 'a test')
  await build()
  assert.equal(runs(), 1)
  change('2000')
  await build()
  assert.equal(runs(), 2)
  rmSync(dist, { recursive: true })
  await build()
  assert.equal(runs(), 3)
})

test('a first page that needs too much script is not taken, and neither is a build that fails', async (t) => {
  const { build, change, dist } = makeRepository(t)
  change(String(299 * 1024))
  await build()
  assert.ok(measureFirstLoad(dist) < 300 * 1024)
  change(String(301 * 1024))
  await assert.rejects(build(), /30\d KiB of script, gzipped \(at most 300 KiB\)/)
  change('broken')
  await assert.rejects(build(), /a mistake in main\.tsx[\s\S]*could not be built/)
  assert.equal(readFileSync(join(dist, 'assets/main.js')).length, 299 * 1024, 'what was there stays')
})

test('a repository without console has nothing to build', async (t) => {
  const root = makeFolder(t, { 'package-lock.json': {} })
  await ensureConsole({ root, node: process.execPath })
  assert.match(digestSources(root, ['packages/console']), /^[0-9a-f]{64}$/)
})
