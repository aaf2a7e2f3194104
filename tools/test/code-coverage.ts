import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { listFiles, root } from '../paths.ts'

/** The members of node:test's coverage of one file that are read here. */
export interface FileCoverage {
  readonly path: string
  readonly totalLineCount: number
  readonly coveredLineCount: number
  readonly totalBranchCount: number
  readonly coveredBranchCount: number
  readonly lines: readonly { readonly line: number; readonly count: number }[]
}

interface Floor {
  readonly folder: string
  /** Per cent. */
  readonly lines: number
  readonly branches: number
}

/** The least share of each folder that the tests must execute. */
export const COVERAGE_FLOORS: readonly Floor[] = [
  { folder: 'packages/core/src', lines: 100, branches: 98 },
  { folder: 'packages/server/src', lines: 90, branches: 0 },
]

export const COVERED_FILES = COVERAGE_FLOORS.flatMap(({ folder }) => [`${folder}/**/*.ts`])

/** Only the tests of these packages are measured: what an end-to-end test starts is another process, often one that is killed. */
export function isMeasured(file: string): boolean {
  return COVERAGE_FLOORS.some(({ folder }) => file.startsWith(`${dirname(folder)}/`))
}

export interface FolderCoverage {
  readonly folder: string
  /** One line with the share of lines and branches. */
  readonly summary: string
  /** What falls short of the floor, with the lines that no test executes. */
  readonly shortfall: readonly string[]
}

/** Returns the coverage of a run, with the files that it never loaded: nothing of them was executed. */
export function addUnloaded(files: readonly FileCoverage[]): FileCoverage[] {
  const loaded = new Set(files.map(({ path }) => path))
  const unloaded = listFiles(COVERED_FILES)
    .map((file) => join(root, file))
    .filter((path) => !loaded.has(path) && !path.endsWith('.test.ts'))
  return [...files, ...unloaded.flatMap(describeUnloaded)]
}

/** A file with nothing but types has no code to execute. */
function describeUnloaded(path: string): FileCoverage[] {
  const code = stripTypeScriptTypes(readFileSync(path, 'utf8')).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|export \{\};?/g, '')
  if (code.trim() === '') return []
  const lines = code.trimEnd().split('\n')
  return [
    {
      path,
      totalLineCount: lines.length,
      coveredLineCount: 0,
      totalBranchCount: 1,
      coveredBranchCount: 0,
      lines: lines.map((_, at) => ({ line: at + 1, count: 0 })),
    },
  ]
}

/** Sums the coverage of every folder that has a floor. */
export function sumCoverage(
  files: readonly FileCoverage[],
  floors: readonly Floor[] = COVERAGE_FLOORS,
): FolderCoverage[] {
  return floors.map(({ folder, lines, branches }) => {
    const own = files.filter(({ path }) => relative(root, path).startsWith(`${folder}/`) && !path.endsWith('.test.ts'))
    const lineShare = share(own, 'coveredLineCount', 'totalLineCount')
    const branchShare = share(own, 'coveredBranchCount', 'totalBranchCount')
    const summary = `${folder}: ${format(lineShare)} % of lines, ${format(branchShare)} % of branches in ${own.length} files`
    const isShort = lineShare < lines || branchShare < branches
    const floor = `${folder}: the floor is ${lines} % of lines${branches > 0 ? ` and ${branches} % of branches` : ''}`
    return { folder, summary, shortfall: isShort ? [floor, ...listUncovered(own)] : [] }
  })
}

/** Of no lines at all nothing is covered: a run without coverage must not pass. */
function share(
  files: readonly FileCoverage[],
  covered: 'coveredLineCount' | 'coveredBranchCount',
  total: 'totalLineCount' | 'totalBranchCount',
): number {
  const sum = (member: typeof covered | typeof total) => files.reduce((count, file) => count + file[member], 0)
  return sum(total) === 0 ? 0 : (100 * sum(covered)) / sum(total)
}

/** Rounded down, so that 99.999 does not read as 100. */
function format(per100: number): string {
  return (Math.floor(per100 * 100) / 100).toFixed(2)
}

function listUncovered(files: readonly FileCoverage[]): string[] {
  return files
    .map((file) => ({ file, missing: file.lines.filter(({ count }) => count === 0).map(({ line }) => line) }))
    .filter(({ file, missing }) => missing.length > 0 || file.coveredBranchCount < file.totalBranchCount)
    .sort((a, b) => b.missing.length - a.missing.length)
    .slice(0, 40)
    .map(({ file, missing }) => {
      const branches = file.totalBranchCount - file.coveredBranchCount
      return `  ${relative(root, file.path)}: ${[
        ...(missing.length > 0 ? [`lines ${joinRanges(missing)}`] : []),
        ...(branches > 0 ? [`${branches} branches`] : []),
      ].join(', ')}`
    })
}

/** Writes 3, 4, 5, 9 as `3-5 9`. */
function joinRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(' ')
}
