import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt } from './ensure-built.js'
import { runNode } from './run-program.js'

const packages = ['cli', 'contract', 'core', 'sdk', 'server']
const sources = [
  ...packages.map((name) => `packages/${name}/src`),
  'packages/cli/bin',
  'package-lock.json',
  'tools/run/bundle-command.js',
]
/** The program that runs the command from its sources. */
export const COMMAND_SOURCE = 'packages/cli/bin/countersign.js'
const output = 'packages/cli/.cache/command'

/**
 * Bundles the command unless that was done with the current sources: loading a few files in place of 700 halves the start of a
 * controller. The folder has the shape of the published package. Returns the path of the program, relative to `root`.
 */
export async function ensureCommand({ root, node }) {
  if (!existsSync(join(root, 'packages/cli/src/main.ts'))) return COMMAND_SOURCE
  const build = async (fresh) => {
    mkdirSync(join(fresh, 'bin'), { recursive: true })
    copyFileSync(join(root, COMMAND_SOURCE), join(fresh, 'bin/countersign.js'))
    await runNode(node, [join(root, 'tools/run/bundle-command.js'), join(fresh, 'dist')], { cwd: root })
  }
  await ensureBuilt({ root, what: 'command', sources, output: join(root, output), build })
  return `${output}/bin/countersign.js`
}
