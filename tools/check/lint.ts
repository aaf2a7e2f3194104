import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../paths.ts'
import type { Check } from './check.ts'
import { runProgram } from './run-program.ts'

/** Biome reports nothing: lint, format, order of imports. */
export const lint: Check = {
  name: 'lint, format',
  planted: {
    folder: 'lint',
    expect: ['noFloatingPromises', 'noExplicitAny', 'noSkippedTests', 'noEnum', 'mistakes.ts format'],
  },
  async look(base) {
    return base === root ? runBiome(base) : inCopy(base, runBiome)
  },
}

async function runBiome(folder: string) {
  const { code, output } = await runProgram(
    '@biomejs/biome/bin/biome',
    ['ci', '--colors=off', '--max-diagnostics=200', '--error-on-warnings', folder],
    folder,
  )
  const looked = Number(/Checked (\d+) files/.exec(output)?.[1] ?? 0)
  return { looked, problems: code === 0 ? [] : [output.trim()] }
}

/** Our settings exclude the planted files, so they are checked with the same settings in a temporary folder. */
async function inCopy<T>(base: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-lint-'))
  try {
    cpSync(base, folder, { recursive: true })
    const settings = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'))
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ ...settings, $schema: undefined, vcs: undefined }))
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
