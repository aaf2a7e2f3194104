import { globSync } from 'node:fs'
import { join, sep } from 'node:path'

/** The root folder of the repository. */
export const root = join(import.meta.dirname, '..')

const skipped = new Set(['planted', 'node_modules', 'build', '.git', '.test-report', '.countersign'])

/** Lists files under `base` by glob patterns, sorted, with forward slashes. Skips installed, generated and planted folders. */
export function listFiles(patterns: string[], base = root): string[] {
  const files = globSync(patterns, {
    cwd: base,
    withFileTypes: true,
    exclude: (entry) => skipped.has(entry.name),
  }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(join(base, sep).length))
  return [...new Set(paths.map((path) => path.split(sep).join('/')))].sort()
}
