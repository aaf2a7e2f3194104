import { join, relative } from 'node:path'
import type { Check } from './check.ts'
import { runProgram } from './run-program.ts'

/** TypeScript finds no mistake in the files of the tsconfig.json under `base`. */
export const types: Check = {
  name: 'types',
  planted: { folder: 'types', expect: ['TS2322', 'TS2532', 'TS1294'] },
  async look(base) {
    const project = [
      'typescript/bin/tsc',
      ['-p', join(base, 'tsconfig.json'), '--noEmit', '--pretty', 'false'],
    ] as const
    const { code, output } = await runProgram(project[0], [...project[1], '--listFiles'], base)
    const lines = output.split('\n').filter(Boolean)
    const isListed = (line: string) => line.startsWith('/') && !line.includes('error TS')
    const files = lines.filter(isListed).filter((file) => !relative(base, file).match(/^\.\.|node_modules/))
    const problems = lines.filter((line) => !isListed(line))
    if (code !== 0 && problems.length === 0) problems.push(`tsc ended with ${code}`)
    return { looked: files.length, problems }
  },
}
