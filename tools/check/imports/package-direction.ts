import type { Check } from '../check.ts'
import { type ImportEdge, loadImportGraph } from './import-graph.ts'

type Rule = { packages: string[]; node: string[] | 'any' }

/** The workspace packages and Node modules that the sources of a package may import. Type imports count. */
const ALLOWED: Record<string, Rule> = {
  contract: { packages: [], node: [] },
  core: { packages: ['contract'], node: ['node:crypto'] },
  server: { packages: ['contract', 'core'], node: 'any' },
  // Node modules only behind the entry point `./node`, which browsers never load.
  sdk: { packages: ['contract'], node: ['node:http', 'node:https', 'node:stream', 'node:tls'] },
  cli: { packages: ['contract', 'core', 'sdk', 'server'], node: 'any' },
  console: { packages: ['contract', 'sdk'], node: [] },
  testkit: { packages: ['contract', 'core'], node: 'any' },
}
const UNSCOPED_PACKAGES: Record<string, string> = { countersign: 'cli' }
const TABLE = 'table in tools/check/imports/package-direction.ts'

/** Packages import only what the table allows, and no relative import leaves its package. */
export const packageDirection: Check = {
  name: 'import direction',
  planted: {
    folder: 'imports/package-direction',
    expect: [
      'core/src/leak.ts: core may not import server',
      'core/src/leak.ts: core may not import node:fs',
      'core/src/leak.ts: ../../server/src/other.ts leaves its package',
      'console/src/view.tsx: console may not import server',
      'stranger/src/stranger.ts: stranger is not a package',
    ],
  },
  look(base) {
    const { edges } = loadImportGraph(base, 'packages/')
    return { looked: edges.length, problems: edges.flatMap(checkEdge) }
  },
}

function checkEdge({ from, specifier, to }: ImportEdge): string[] {
  const [, importer = ''] = from.split('/')
  const rule = ALLOWED[importer]
  if (!rule) return [`${from}: ${importer} is not a package of the ${TABLE}: add a row for it`]
  if (specifier.startsWith('.')) {
    if (to?.startsWith(`packages/${importer}/`)) return []
    return [`${from}: ${specifier} leaves its package: import the other package by its name`]
  }
  const isTest = /\.(test|fixture)\.ts$/.test(from) || from.startsWith(`packages/${importer}/test/`)
  const allowed = isTest || isAllowed(specifier, importer, rule)
  const imported = specifier.startsWith('node:') ? specifier : findPackage(specifier)
  return allowed ? [] : [`${from}: ${importer} may not import ${imported}: move the shared code (${TABLE})`]
}

function isAllowed(specifier: string, importer: string, { packages, node }: Rule): boolean {
  if (specifier.startsWith('node:')) return node === 'any' || node.includes(specifier)
  const imported = findPackage(specifier)
  return imported === undefined || imported === importer || packages.includes(imported)
}

function findPackage(specifier: string): string | undefined {
  const [scope, name] = specifier.split('/')
  if (scope === '@countersign') return name
  return UNSCOPED_PACKAGES[scope ?? '']
}
