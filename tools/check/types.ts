import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Check, Findings } from './check.ts'
import { runProgram } from './run-program.ts'

// With declarations, since a type that cannot be named there would only stop the build of the published packages.
const flags = ['--noEmit', '--declaration', '--listFiles', '--pretty', 'false']

/** The console is for browsers: it has a tsconfig.json of its own, which extends the one of the rest. */
const projects = ['tsconfig.json', 'packages/console/tsconfig.json']

/** TypeScript finds no mistake in the files of any tsconfig.json under `base`. */
export const types: Check = {
  name: 'types',
  planted: { folder: 'types', expect: ['TS2322', 'TS2532', 'TS1294'] },
  async look(base) {
    const present = projects.map((project) => join(base, project)).filter((project) => existsSync(project))
    const findings = await Promise.all(present.map((project) => judge(base, project)))
    return {
      looked: findings.reduce((sum, { looked }) => sum + looked, 0),
      problems: findings.flatMap(({ problems }) => problems),
    }
  },
}

async function judge(base: string, project: string): Promise<Findings> {
  const { code, output } = await runProgram('typescript/bin/tsc', ['-p', project, ...flags], base)
  const lines = output.split('\n').filter(Boolean)
  const isListed = (line: string) => line.startsWith('/') && !line.includes('error TS')
  const files = lines.filter(isListed).filter((file) => !/^\.\.|node_modules/.test(relative(base, file)))
  const problems = lines.filter((line) => !isListed(line))
  if (code !== 0 && problems.length === 0) problems.push(`tsc ended with ${code}`)
  return { looked: files.length, problems }
}
