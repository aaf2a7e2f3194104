import type { Check } from '../check.ts'
import { type ImportEdge, loadImportGraph } from './import-graph.ts'

/** No file imports itself, directly or through others. Calls of `import()` and type imports count. */
export const importCycles: Check = {
  name: 'import cycles',
  planted: {
    folder: 'imports/import-circles',
    expect: [
      'core/src/first.ts -> packages/core/src/second.ts -> packages/core/src/third.ts -> packages/core/src/first.ts',
      'core/src/own-name.ts -> packages/core/src/index.ts',
      'console/src/page.tsx -> packages/console/src/part.tsx -> packages/console/src/page.tsx',
      'bench/itself.ts -> bench/itself.ts',
      'e2e/stage.ts -> e2e/steps/one.ts -> e2e/stage.ts',
      'tools/one.ts -> tools/two.ts -> tools/one.ts',
    ],
  },
  look(base) {
    const { edges } = loadImportGraph(base)
    return { looked: edges.length, problems: findCycles(edges).map(explain) }
  },
}

function explain(cycle: string[]): string {
  return `import cycle: ${cycle.join(' -> ')}: move the shared code to a separate file`
}

/** Returns at least one cycle of each strongly connected set of files, as a list of files. */
function findCycles(edges: ImportEdge[]): string[][] {
  const byFile = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  const cycles: string[][] = []
  const walk = (file: string, path: string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) cycles.push([...path.slice(at), file])
    if (at >= 0 || done.has(file)) return
    const targets = new Set((byFile.get(file) ?? []).flatMap(({ to }) => to ?? []))
    for (const target of targets) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of byFile.keys()) walk(file, [])
  return cycles
}
