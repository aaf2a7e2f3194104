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
 * Of V8, from the start or not at all: a quarter of the usual room for new objects, and clearing up when the heap has grown to two and a half times
 * what is in use, not in quiet moments. Why, and what that gains: docs/decisions/operations.md.
 */
const HEAP_OPTIONS = ['--max-semi-space-size=16', '--heap-growing-percent=150', '--no-memory-reducer', '--expose-gc']
/** Of the C library: threads share its arenas, which are mostly holes. */
const MEMORY_SETTINGS = { MALLOC_ARENA_MAX: '2' }
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

/**
 * Begins the process again with the options that the controller wants, where the system can do that, but for those that the operator has chosen.
 * Another major version may not know them, and would not start.
 */
function applyHeapOptions() {
  const { argv, execArgv, execPath, env, version } = process
  const chosen = [...execArgv, env.NODE_OPTIONS ?? ''].join(' ')
  const missing = HEAP_OPTIONS.filter((option) => !chosen.includes(option.split('=', 1)[0]))
  if (argv[2] !== 'up' || missing.length === 0 || !version.startsWith(`v${NEEDED[0]}.`)) return
  process.execve?.(execPath, [execPath, ...missing, ...execArgv, ...argv.slice(1)], { ...MEMORY_SETTINGS, ...env })
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
