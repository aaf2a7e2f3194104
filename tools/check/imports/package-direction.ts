import type { Check } from '../check.ts'
import { type ImportEdge, loadImportGraph } from './import-graph.ts'

/** Which packages of ours, and which modules of Node, the sources of a package may import; types count too. */
const ALLOWED: Record<string, { ours: string[]; node: string[] | 'any' }> = {
  contract: { ours: [], node: [] },
  core: { ours: ['contract'], node: ['node:crypto'] },
  server: { ours: ['contract', 'core'], node: 'any' },
  // Node's own only behind the entry `./node`, which browsers never load.
  sdk: { ours: ['contract'], node: ['node:http', 'node:https', 'node:stream', 'node:tls'] },
  cli: { ours: ['contract', 'sdk', 'server'], node: 'any' },
  console: { ours: ['contract', 'sdk'], node: [] },
  testkit: { ours: ['contract', 'core'], node: 'any' },
}
const FOLDER_OF: Record<string, string> = { countersign: 'cli' }
const TABLE = 'table in tools/check/imports/package-direction.ts'

/** Imports of packages point in the direction that architecture allows, and files stay inside their package. */
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
    return { looked: edges.length, problems: edges.flatMap(judge) }
  },
}

function judge({ from, specifier, to }: ImportEdge): string[] {
  const [, home = ''] = from.split('/')
  const rule = ALLOWED[home]
  if (!rule) return [`${from}: ${home} is not a package of the ${TABLE}: add a row for it`]
  if (specifier.startsWith('.')) {
    if (to?.startsWith(`packages/${home}/`)) return []
    return [`${from}: ${specifier} leaves its package: import the other package by its name`]
  }
  const isTest = /\.(test|fixture)\.ts$/.test(from) || from.startsWith(`packages/${home}/test/`)
  const allowed = isTest || isAllowed(specifier, home, rule)
  const named = specifier.startsWith('node:') ? specifier : readOurs(specifier)
  return allowed ? [] : [`${from}: ${home} may not import ${named}: move what it needs to where it may (${TABLE})`]
}

function isAllowed(specifier: string, home: string, { ours, node }: { ours: string[]; node: string[] | 'any' }) {
  if (specifier.startsWith('node:')) return node === 'any' || node.includes(specifier)
  const other = readOurs(specifier)
  return other === undefined || other === home || ours.includes(other)
}

function readOurs(specifier: string): string | undefined {
  const [scope, name] = specifier.split('/')
  if (scope === '@countersign') return name
  return FOLDER_OF[scope ?? '']
}
