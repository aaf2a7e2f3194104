import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildMarkdown } from './markdown.ts'
import type { BenchResult } from './result.ts'

const FOLDER = join(import.meta.dirname, '..', 'results')

const FORMATS: readonly (readonly [extension: string, build: (result: BenchResult) => string])[] = [
  ['json', (result) => `${JSON.stringify(result, null, 2)}\n`],
  ['md', buildMarkdown],
]

/** Writes the result in every format and returns the paths, relative to the working directory. Replaces files of an earlier run. */
export function writeReports(result: BenchResult, name: string): string[] {
  mkdirSync(FOLDER, { recursive: true })
  return FORMATS.map(([extension, build]) => {
    const file = join(FOLDER, `${name}.${extension}`)
    writeFileSync(file, build(result))
    return relative(process.cwd(), file)
  })
}
