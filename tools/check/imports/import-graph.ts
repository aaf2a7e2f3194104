import { readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path/posix'
import { listFiles } from '../../paths.ts'
import { readImports } from './read-imports.ts'

/** One import of one file. `to` is the file it leads to, or undefined outside the repository. */
export type ImportEdge = { from: string; specifier: string; to: string | undefined }

/** The sources and tests under a folder and every import in them. Paths are relative to that folder. */
export type ImportGraph = { files: string[]; edges: ImportEdge[] }

const SOURCES = ['packages/*/{src,test}/**/*.{ts,tsx}', '{bench,e2e,tools}/**/*.{ts,js}']

/** Reads the imports under `base`, type imports and calls of `import()` included; only of files whose path begins with `within`. */
export function loadImportGraph(base: string, within = ''): ImportGraph {
  const all = listFiles(SOURCES, base)
  const files = all.filter((file) => file.startsWith(within))
  const entries = loadEntries(base)
  const edges = files.flatMap((from) =>
    readImports(join(base, from)).flatMap((specifier): ImportEdge[] => {
      if (!specifier.startsWith('.')) return [{ from, specifier, to: entries.get(specifier) }]
      const to = join(dirname(from), specifier)
      if (!to.includes('*')) return [{ from, specifier, to }]
      return all.filter((file) => matchesGlob(file, to)).map((file) => ({ from, specifier, to: file }))
    }),
  )
  return { files, edges }
}

/** The file behind each name under which a package of ours can be imported. */
function loadEntries(base: string): Map<string, string> {
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
