/**
 * Starts a task of this repository: `node tools/run.js <task> [arguments]`.
 *
 * Plain JavaScript for Node 20 without dependencies, since it runs before anything is installed: it brings node_modules up
 * to date, finds Node 24, builds the console and the command, and starts the task. Only the task itself writes to stdout.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMMAND_SOURCE, ensureCommand } from './run/command.js'
import { ensureConsole } from './run/console.js'
import { findNode } from './run/find-node.js'
import { ensureInstalled } from './run/install.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * `dev`: whether the task needs the development dependencies. `console`: whether it needs the built console; a controller
 * starts without it when it cannot be built. `cwd`: where it runs. Without a `file` it runs the command. `replaces`: whether it
 * takes the place of this process where that is possible: a process that only waits for a controller has 50 MiB. `node` prints the
 * path of Node 24, on which that is possible.
 */
const tasks = {
  start: {
    args: ['up', '--dev'],
    dev: false,
    console: 'wanted',
    cwd: process.cwd(),
    replaces: true,
  },
  node: { dev: false },
  test: { file: 'tools/test.ts', args: [], dev: true, console: 'needed', cwd: root },
  matrix: { file: 'tools/test.ts', args: ['--matrix'], dev: true, console: 'needed', cwd: root },
  check: { file: 'tools/check.ts', args: [], dev: true, cwd: root },
  build: { file: 'tools/build.ts', args: [], dev: true, console: 'needed', cwd: root },
  image: { file: 'tools/image.ts', args: [], dev: true, console: 'needed', cwd: root },
  'check:deploy': { file: 'tools/check-deploy.ts', args: [], dev: true, console: 'needed', cwd: root },
  bench: { file: 'tools/bench.ts', args: [], dev: true, cwd: root },
  soak: { file: 'tools/soak.ts', args: [], dev: true, cwd: root },
  keycloak: { file: 'e2e/keycloak/run.ts', args: [], dev: true, cwd: root },
  screenshots: { file: 'e2e/screenshots/run.ts', args: [], dev: true, console: 'needed', cwd: root },
  fuzz: { file: 'tools/fuzz.ts', args: [], dev: true, cwd: root },
  generate: { file: 'tools/generate.ts', args: [], dev: true, cwd: root },
  trace: { file: 'tools/trace.ts', args: [], dev: true, cwd: root },
}

const [name, ...args] = process.argv.slice(2)
const task = Object.hasOwn(tasks, name ?? '') ? tasks[name] : undefined
if (!task) stop(`usage: node tools/run.js ${Object.keys(tasks).join('|')} [arguments]`, 2)

try {
  await ensureInstalled({ root, dev: task.dev })
  const node = findNode(root)
  if (name === 'node') process.stdout.write(`${node}\n`)
  else {
    if (task.console) await buildConsole(node, task.console)
    run(node, [join(root, task.file ?? (await chooseCommand(node))), ...task.args, ...args], task)
  }
} catch (error) {
  stop(error.message, 1)
}

async function buildConsole(node, howMuch) {
  try {
    await ensureConsole({ root, node })
  } catch (error) {
    if (howMuch === 'needed') throw error
    process.stderr.write(`${error.message}\nThe controller starts without it.\n`)
  }
}

async function chooseCommand(node) {
  try {
    return await ensureCommand({ root, node })
  } catch (error) {
    process.stderr.write(`${error.message}\nThe controller starts from its sources.\n`)
    return COMMAND_SOURCE
  }
}

function run(node, argv, { cwd, replaces }) {
  const options = ['--disable-warning=ExperimentalWarning']
  if (replaces) process.execve?.(node, [node, ...options, ...argv], process.env)
  const child = spawn(node, [...options, ...argv], { cwd, stdio: 'inherit' })
  // A terminal sends Ctrl-C to the whole group, so that the child has it already.
  const forward = (signal) => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
  if (process.env.npm_lifecycle_event) watchParent(() => child.kill('SIGTERM'))
  child.once('error', (error) => stop(`${node} does not run here (${error.message}): install Node 24.18 or newer.`, 1))
  child.once('exit', (code, signal) => {
    if (!signal) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // A signal without effect on us, such as SIGQUIT caught elsewhere, still ends as a shell reports it.
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 100)
  })
}

/** npm that is killed outright cannot pass that on; what it started must not outlive it. */
function watchParent(onGone) {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, 500)
}

function stop(message, code) {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}
