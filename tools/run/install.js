import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compareInstalled } from './compare-installed.js'
import { withLock } from './lock.js'
import { showProgress } from './progress.js'
import { runProgram } from './run-program.js'

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
  const { code, signal, output } = await runProgram(command, [...first, ...args], { cwd: root })
  progress.end(code === 0)
  if (signal) throw new Error(`npm was ended by ${signal}; run the same command again.`)
  if (code !== 0) {
    throw new Error(`${output || `npm ended with ${code}`}\n\nPackages could not be installed: npm's words are above. Check the network and the free
disk space, then run the same command again; \`npm ${args[0]}\` shows more.`)
  }
}
