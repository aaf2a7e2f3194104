import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parse } from 'es-module-lexer'
import { listFiles } from '../paths.ts'
import type { Check } from './check.ts'

/** Which packages of ours, and which modules of Node, the sources of a package may import; types count too. */
const allowed: Record<string, { ours: string[]; node: string[] | 'any' }> = {
  contract: { ours: [], node: [] },
  core: { ours: ['contract'], node: ['node:crypto'] },
  server: { ours: ['contract', 'core'], node: 'any' },
  // Node's own only behind the entry `./node`, which browsers never load.
  sdk: { ours: ['contract'], node: ['node:http', 'node:https', 'node:stream', 'node:tls'] },
  cli: { ours: ['contract', 'sdk', 'server'], node: 'any' },
  console: { ours: ['contract', 'sdk'], node: [] },
  testkit: { ours: ['contract', 'core'], node: 'any' },
}
const folderOf: Record<string, string> = { countersign: 'cli' }

type ImportEdge = { specifier: string; runsAtLoad: boolean }

/** Imports point in the direction architecture allows, stay inside their package, and make no circle at load. */
export const imports: Check = {
  name: 'import direction',
  planted: {
    folder: 'imports',
    expect: [
      'core may not import server',
      'core may not import node:fs',
      'leaves its package',
      'circle',
      'not a package of',
    ],
  },
  look(base) {
    const files = listFiles(['packages/*/src/**/*.ts', 'packages/*/test/**/*.ts'], base)
    const edges = new Map(files.map((file) => [file, readImports(join(base, file))]))
    const problems = files.flatMap((file) =>
      (edges.get(file) ?? []).flatMap(({ specifier }) => judge(file, specifier).map((why) => `${file}: ${why}`)),
    )
    return { looked: [...edges.values()].flat().length, problems: [...problems, ...findCircles(edges)] }
  },
}

function readImports(path: string): ImportEdge[] {
  const [found] = parse(readFileSync(path, 'utf8'), path)
  return found.flatMap((one) => {
    if (!one.specifier) return []
    const runsAtLoad = one.type !== 'dynamic' && !one.typeOnly
    return [{ specifier: one.specifier, runsAtLoad }]
  })
}

function judge(file: string, specifier: string): string[] {
  const [, home = ''] = file.split('/')
  const rule = allowed[home]
  if (!rule) return [`${home} is not a package of the table in tools/check/imports.ts`]
  if (specifier.startsWith('.')) {
    return target(file, specifier).startsWith(`packages/${home}/`) ? [] : [`${specifier} leaves its package`]
  }
  const isTest = /\.(test|fixture)\.ts$/.test(file) || file.startsWith(`packages/${home}/test/`)
  if (isTest) return []
  if (specifier.startsWith('node:')) {
    const fits = rule.node === 'any' || rule.node.includes(specifier)
    return fits ? [] : [`${home} may not import ${specifier}`]
  }
  const other = readOurs(specifier)
  return other === undefined || other === home || rule.ours.includes(other) ? [] : [`${home} may not import ${other}`]
}

function readOurs(specifier: string): string | undefined {
  const [scope, name] = specifier.split('/')
  if (scope === '@countersign') return name
  return folderOf[scope ?? '']
}

function target(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier))
}

function findCircles(edges: Map<string, ImportEdge[]>): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const walk = (file: string, path: string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) circles.push(`circle of imports: ${[...path.slice(at), file].join(' -> ')}`)
    if (at >= 0 || done.has(file)) return
    for (const { specifier, runsAtLoad } of edges.get(file) ?? []) {
      if (runsAtLoad && specifier.startsWith('.')) walk(target(file, specifier), [...path, file])
    }
    done.add(file)
  }
  for (const file of edges.keys()) walk(file, [])
  return circles
}
