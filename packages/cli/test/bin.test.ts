import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../bin/countersign.js', import.meta.url))

/** A Node on this machine that is too old to run the command itself. */
function findOldNode(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'node'))
  return candidates.find((node) => {
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''
    const [major = 0] = version.replace(/^v/, '').split('.').map(Number)
    return major >= 18 && major < 24
  })
}

const oldNode = findOldNode()
/** Skipped when the machine has no old Node. */
const testOnOldNode: (title: string, body: (node: string, t: TestContext) => void) => void = (title, body) => {
  if (oldNode !== undefined) test(title, (t) => body(oldNode, t))
}

test('runs directly on a new Node and returns the exit status', () => {
  const good = spawnSync(process.execPath, [BIN, 'version'], { encoding: 'utf8' })
  assert.deepEqual([good.status, good.stderr], [0, ''])
  assert.match(good.stdout, /^countersign /)
  assert.equal(spawnSync(process.execPath, [BIN, 'verison']).status, 2)
})

test('a slow reader of a pipe gets all of a long output, and a reader that leaves ends the command', () => {
  const pipeTo = (reader: string) =>
    spawnSync('sh', ['-c', `"${process.execPath}" "${BIN}" help -o json | ${reader}`], {
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    })
  const { stdout } = pipeTo('{ sleep 1; cat; }')
  assert.ok(stdout.length > 2 ** 18, 'longer than a pipe')
  assert.ok(JSON.parse(stdout).length > 50)
  assert.deepEqual(pipeTo('head -n 1').stdout, '[\n')
})

testOnOldNode('an old Node starts the new one that is installed as a package', (node) => {
  const { status, stdout } = spawnSync(node, [BIN, 'version'], { encoding: 'utf8' })
  assert.equal(status, 0)
  assert.match(stdout, /\(node (2[4-9]|[3-9]\d)\./)
  assert.equal(spawnSync(node, [BIN, 'verison']).status, 2)
})

testOnOldNode('an old Node without that package reports what is missing', (node, t) => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-bin-'))
  t.after(() => rmSync(directory, { recursive: true }))
  mkdirSync(join(directory, 'bin'))
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  copyFileSync(BIN, join(directory, 'bin', 'countersign.js'))
  const { status, stderr } = spawnSync(node, [join(directory, 'bin', 'countersign.js')], { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /^error: countersign needs Node 24\.18 or newer; this is v\d+.*\nhint: .*\n$/)
})
