import type { TestRecord } from '../test/test-record.ts'
import { readIds } from './read-ids.ts'
import type { Requirement } from './requirements.ts'

/** A requirement with the passed tests whose titles name it. */
export type Trace = Requirement & { tests: NamedTest[] }

export type NamedTest = { title: string; file: string }

/** Finds the passed tests of each requirement, in the order of the requirements. */
export function traceRequirements(requirements: Requirement[], tests: TestRecord[]): Trace[] {
  const known = new Set(requirements.map(({ id }) => id))
  const holders = new Map<string, NamedTest[]>(requirements.map(({ id }) => [id, []]))
  const seen = new Set<string>()
  for (const { title, file, result } of tests) {
    if (result !== 'passed' || seen.has(`${file}\0${title}`)) continue
    seen.add(`${file}\0${title}`)
    for (const id of readIds(title, known).ids) holders.get(id)?.push({ title, file })
  }
  return requirements.map((requirement) => ({ ...requirement, tests: holders.get(requirement.id) ?? [] }))
}

/** Selects the traces by ids and beginnings of ids: `H-03`, `H`, `S1-2`; all without a word. */
export function selectTraces(traces: Trace[], words: string[]): Trace[] {
  if (words.length === 0) return traces
  return traces.filter(({ id }) => words.some((word) => isPart(id, word)))
}

/** Prints each id with its text and its tests, and a last line with the number of open ids. */
export function printTraces(traces: Trace[]): string {
  const blocks = traces.map(({ id, what, open, tests }) => {
    const state = open === undefined ? [] : [`  open: ${open}`]
    const lines = tests.map(({ title, file }) => `  ${title} (${file})`)
    return [`${id}  ${what}`, ...state, ...(tests.length === 0 && open === undefined ? ['  no test'] : lines)].join(
      '\n',
    )
  })
  const open = traces.filter((trace) => trace.open !== undefined || trace.tests.length === 0).map(({ id }) => id)
  const names = open.length === 0 ? '' : `: ${open.join(' ')}`
  return `${blocks.join('\n')}\n\n${traces.length} ids, ${open.length} open${names}`
}

function isPart(id: string, word: string): boolean {
  return id === word || (id.startsWith(word) && /^[.-]/.test(id.slice(word.length)))
}
