import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Check, Findings } from './check.ts'
import { runProgram } from './run-program.ts'

// With declarations: otherwise only `npm run build` finds a type that cannot be named in them.
const flags = ['--noEmit', '--declaration', '--listFiles', '--pretty', 'false']

/** The console has its own tsconfig.json, for browsers; it extends the other. */
const projects = ['tsconfig.json', 'packages/console/tsconfig.json']

/** TypeScript reports no error for any tsconfig.json under `base`. */
export const types: Check = {
  name: 'types',
  planted: { folder: 'types', expect: ['TS2322', 'TS2532', 'TS1294'] },
  async look(base) {
    const present = projects.map((project) => join(base, project)).filter((project) => existsSync(project))
    const findings = await Promise.all(present.map((project) => checkProject(base, project)))
    return {
      looked: findings.reduce((sum, { looked }) => sum + looked, 0),
      problems: findings.flatMap(({ problems }) => problems),
    }
  },
}

async function checkProject(base: string, project: string): Promise<Findings> {
  const { code, output } = await runProgram('typescript/bin/tsc', ['-p', project, ...flags], base)
  const lines = output.split('\n').filter(Boolean)
  const isListed = (line: string) => line.startsWith('/') && !line.includes('error TS')
  const files = lines.filter(isListed).filter((file) => !/^\.\.|node_modules/.test(relative(base, file)))
  const problems = lines.filter((line) => !isListed(line))
  if (code !== 0 && problems.length === 0) problems.push(`tsc exited with ${code}`)
  return { looked: files.length, problems }
}
