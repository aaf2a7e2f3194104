import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from './check.ts'

const DOCUMENT = 'CONTRIBUTING.md'
const FOLDERS = ['packages/*/src/*/', 'e2e/*/', 'bench/*/', 'tools/*/']
const SKIPPED = new Set(['node_modules', 'planted', 'results'])

/** The map in CONTRIBUTING.md lists every folder, and no folder that does not exist. */
export const folderMap: Check = {
  name: 'map',
  planted: {
    folder: 'folder-map',
    expect: ['the map lacks packages/one/src/unlisted', 'the map names packages/one/src/gone, which does not exist'],
  },
  look(base) {
    const map =
      readFileSync(join(base, DOCUMENT), 'utf8')
        .split(/^## Map$/m)[1]
        ?.split(/^## /m)[0] ?? ''
    const listed = readFolders(map)
    const folders = listFolders(base)
    const existing = new Set(globSync([...listed], { cwd: base }))
    return {
      looked: folders.length,
      problems: [
        ...folders
          .filter((folder) => !isListed(listed, folder))
          .map((folder) => `${DOCUMENT}: the map lacks ${folder}`),
        ...[...listed]
          .filter((folder) => !existing.has(folder))
          .map((folder) => `${DOCUMENT}: the map names ${folder}, which does not exist`),
      ],
    }
  },
}

function listFolders(base: string): string[] {
  const entries = globSync(FOLDERS, { cwd: base, withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(base.length).replace(/^\//, ''))
    .sort()
}

/** A package that is listed as a whole, such as `packages/testkit`, needs no line for its folders. */
function isListed(listed: ReadonlySet<string>, folder: string): boolean {
  return listed.has(folder) || listed.has(folder.replace(/\/src\/.*/, ''))
}

/** The first path of a row is complete; the others replace its last part. */
function readFolders(map: string): Set<string> {
  const rows = map.split('\n').filter((line) => line.startsWith('| `'))
  return new Set(
    rows.flatMap((row) => {
      const [first = '', ...more] = [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
      return [first, ...more.map((name) => (name.includes('/') ? name : join(first, '..', name)))]
    }),
  )
}
