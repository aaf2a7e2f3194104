import { readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path/posix'
import { listFiles } from '../../paths.ts'
import { readImports } from './read-imports.ts'

/** One import of one file. `to` is the imported file, or undefined outside the repository. */
export type ImportEdge = { from: string; specifier: string; to: string | undefined }

/** Sources and tests with all their imports. Paths are relative to the folder that was read. */
export type ImportGraph = { files: string[]; edges: ImportEdge[] }

const SOURCES = ['packages/*/{src,test}/**/*.{ts,tsx}', '{bench,e2e,tools}/**/*.{ts,js}']

/** Reads the imports under `base`, including type imports and calls of `import()`, of files whose path starts with `within`. */
export function loadImportGraph(base: string, within = ''): ImportGraph {
  const all = listFiles(SOURCES, base)
  const files = all.filter((file) => file.startsWith(within))
  const entryPoints = loadEntryPoints(base)
  const edges = files.flatMap((from) =>
    readImports(join(base, from)).flatMap((specifier): ImportEdge[] => {
      if (!specifier.startsWith('.')) return [{ from, specifier, to: entryPoints.get(specifier) }]
      const to = join(dirname(from), specifier)
      if (!to.includes('*')) return [{ from, specifier, to }]
      return all.filter((file) => matchesGlob(file, to)).map((file) => ({ from, specifier, to: file }))
    }),
  )
  return { files, edges }
}

/** Returns the file behind each specifier of the workspace's packages. */
function loadEntryPoints(base: string): Map<string, string> {
  const entries = listFiles(['packages/*/package.json'], base).flatMap((manifest) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(base, manifest), 'utf8')) as Manifest
    return Object.entries(exports).map(([entry, file]): [string, string] => [
      join(name, entry),
      join(dirname(manifest), file),
    ])
  })
  return new Map(entries)
}

type Manifest = { name: string; exports?: Record<string, string> }
