import type { Check } from '../check.ts'
import { type ImportEdge, loadImportGraph } from './import-graph.ts'

/** No file imports itself, directly or through others: at load, by a call of `import()`, or for a type only. */
export const importCircles: Check = {
  name: 'import circles',
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
    return { looked: edges.length, problems: findCircles(edges).map(explain) }
  },
}

function explain(circle: string[]): string {
  return `circle of imports: ${circle.join(' -> ')}: move what they share to a file of its own`
}

/** At least one circle of each set of files that reach each other, as the files on its way. */
function findCircles(edges: ImportEdge[]): string[][] {
  const byFile = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  const circles: string[][] = []
  const walk = (file: string, path: string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) circles.push([...path.slice(at), file])
    if (at >= 0 || done.has(file)) return
    const targets = new Set((byFile.get(file) ?? []).flatMap(({ to }) => to ?? []))
    for (const target of targets) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of byFile.keys()) walk(file, [])
  return circles
}
