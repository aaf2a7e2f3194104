import { join } from 'node:path'
import { root } from '../paths.ts'
import type { Check, Findings } from './check.ts'
import { runProgram } from './run-program.ts'

const reporter = join(root, 'tools/check/knip-reporter.js')

/** Every file and export is used, and every dependency is declared and used. Configured by knip.json under `base`. */
export const deadCode: Check = {
  name: 'dead code',
  planted: { folder: 'dead-code', expect: ['unused.ts', 'unusedExport', 'is-not-listed', 'unused-package'] },
  async look(base) {
    const { output } = await runProgram('knip/bin/knip.js', ['--no-progress', '--reporter', reporter], base)
    const start = output.indexOf('{"looked"')
    if (start < 0) return { looked: 0, problems: [output.trim()] }
    return JSON.parse(output.slice(start)) as Findings
  },
}
