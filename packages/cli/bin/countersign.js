#!/usr/bin/env node
// Starts the command on Node 24. Plain JavaScript without newer syntax, since it begins on whatever Node is installed.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import nodeModule, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NEEDED = [24, 18]
/**
 * Of V8, from the start or not at all. Half of the usual room for new objects: a busy controller is as fast with it and takes 80 MiB less. And no
 * clearing up in quiet moments: whoever comes first after one would wait for it, and those after him for the heap to grow again.
 */
const HEAP_OPTIONS = ['--max-semi-space-size=32', '--no-memory-reducer']
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}

/** The Node that was installed beside us as a package, or undefined. */
function findPackagedNode() {
  const require = createRequire(import.meta.url)
  try {
    const manifest = require.resolve(`node-${process.platform}-${process.arch}/package.json`)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
    const node = join(dirname(manifest), 'bin', 'node')
    return isNewEnough(version) && existsSync(node) ? node : undefined
  } catch {
    return undefined
  }
}

/** Keeps what Node makes of the source between starts, beside the source: half of a start is reading it. */
function keepCompiledCode(root) {
  const cache = join(root, '.cache')
  nodeModule.enableCompileCache?.(cache)
  process.env.NODE_COMPILE_CACHE ??= cache
}

/** Begins the process again with the options that the controller wants, where the system can do that and the operator has not chosen his own. */
function applyHeapOptions() {
  const { argv, execArgv, execPath, env } = process
  const isChosen = [...execArgv, env.NODE_OPTIONS ?? ''].some((option) => option.includes('--max-semi-space-size'))
  if (argv[2] !== 'up' || isChosen) return
  process.execve?.(execPath, [execPath, ...HEAP_OPTIONS, ...execArgv, ...argv.slice(1)], env)
}

async function runHere() {
  applyHeapOptions()
  const root = join(dirname(fileURLToPath(import.meta.url)), '..')
  keepCompiledCode(root)
  const source = join(root, 'src', 'main.ts')
  const main = existsSync(source) ? source : join(root, 'dist', 'main.js')
  const { run } = await import(pathToFileURL(main).href)
  process.exit(await run(process.argv.slice(2)))
}

function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`cannot run ${node}: ${error.message}`, 'install the package again'))
  child.on('exit', (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code))
}

function fail(message, hint) {
  process.stderr.write(`error: ${message}\nhint: ${hint}\n`)
  process.exit(1)
}

if (isNewEnough(process.version)) {
  await runHere()
} else {
  const node = findPackagedNode()
  if (node) runWith(node)
  else {
    fail(
      `countersign needs Node ${NEEDED.join('.')} or newer, this is ${process.version}`,
      `install Node 24, or install countersign with its optional dependencies, which bring it along`,
    )
  }
}
