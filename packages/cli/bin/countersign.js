#!/usr/bin/env node
// Starts the command on Node 24. Plain JavaScript without newer syntax, since the installed Node can be older.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import nodeModule, { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const MIN_VERSION = [24, 18]
/**
 * V8 options, which can only be set at start: a quarter of the default semi-space, and a collection when the heap has grown to 2.5 times the live
 * size, not when idle. Reasons and measurements: docs/decisions/operations.md.
 */
const HEAP_OPTIONS = ['--max-semi-space-size=16', '--heap-growing-percent=150', '--no-memory-reducer', '--expose-gc']
/** For the C library: threads share malloc arenas, which are mostly fragmented. */
const MALLOC_SETTINGS = { MALLOC_ARENA_MAX: '2' }
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])
}

/** The Node binary of the optional dependency, or undefined. */
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

/** Caches compiled code beside the source: compiling takes half of the startup time. */
function enableCompileCache(root) {
  const cache = join(root, '.cache')
  nodeModule.enableCompileCache?.(cache)
  process.env.NODE_COMPILE_CACHE ??= cache
}

/**
 * Replaces the process with one that has the heap options, where the platform supports execve. Keeps options that the operator has set. Other
 * major versions may not know the options and would not start.
 */
function applyHeapOptions() {
  const { argv, execArgv, execPath, env, version } = process
  const chosen = [...execArgv, env.NODE_OPTIONS ?? ''].join(' ')
  const missing = HEAP_OPTIONS.filter((option) => !chosen.includes(option.split('=', 1)[0]))
  if (argv[2] !== 'up' || missing.length === 0 || !version.startsWith(`v${MIN_VERSION[0]}.`)) return
  process.execve?.(execPath, [execPath, ...missing, ...execArgv, ...argv.slice(1)], { ...MALLOC_SETTINGS, ...env })
}

async function runHere() {
  applyHeapOptions()
  const root = join(dirname(fileURLToPath(import.meta.url)), '..')
  enableCompileCache(root)
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
      `countersign needs Node ${MIN_VERSION.join('.')} or newer; this is ${process.version}`,
      `install Node 24, or install countersign with its optional dependencies, which include it`,
    )
  }
}
