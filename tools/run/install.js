import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compareInstalled } from './compare-installed.js'
import { withLock } from './lock.js'
import { showProgress } from './progress.js'

const flags = [
  '--ignore-scripts',
  '--include=optional',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--prefer-offline',
]

/**
 * Brings node_modules in line with package-lock.json, once at a time. Throws with npm's output when npm fails.
 * A process may run from the packages that are there, so what is right is left in place.
 */
export async function ensureInstalled({ root, dev }) {
  if (compareInstalled(root, dev) === 'fresh') return
  await withLock(join(root, '.install-lock'), 'installs packages', async () => {
    const state = compareInstalled(root, dev)
    if (state === 'fresh') return
    const command = state === 'incomplete' ? ['install', '--no-save'] : ['ci']
    await runNpm(root, [...command, dev ? '--include=dev' : '--omit=dev', ...flags])
  })
}

async function runNpm(root, args) {
  const progress = showProgress(existsSync(join(root, 'node_modules')) ? 'Updating packages' : 'Installing packages')
  const cli = process.env.npm_execpath
  // Other package managers set the variable too.
  const [command, first] = cli && basename(cli) === 'npm-cli.js' ? [process.execPath, [cli]] : ['npm', []]
  let output = ''
  const child = spawn(command, [...first, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-20_000)
    })
  }
  const passOn = (signal) => child.kill(signal)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, passOn)
  const [code, signal] = await new Promise((resolve) => {
    child.once('error', (error) => resolve([error.message, null]))
    child.once('close', (...end) => resolve(end))
  })
  for (const one of signals) process.off(one, passOn)
  progress.end(code === 0)
  if (signal) throw new Error(`npm was ended by ${signal}; run the same command again.`)
  if (code !== 0) {
    const said = output.trim() || `npm ended with ${code}`
    throw new Error(`${said}\n\nPackages could not be installed: npm's words are above. Check the network and the free
disk space, then run the same command again; \`npm ${args[0]}\` shows more.`)
  }
}
