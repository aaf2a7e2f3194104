import type { TestRecord } from '../test/test-record.ts'
import { readIds } from './read-ids.ts'
import type { CoverageRow } from './rows.ts'

export type NamedTest = { title: string; file: string }

const sections: [RegExp, string][] = [
  [/^S1-/, 'Seed 1: External JWT Signers'],
  [/^S2-/, 'Seed 2: access to the hosted API'],
  [/^D\d/, 'Decisions'],
  [/^W-/, 'Behaviours existing clients rely on'],
  [/^/, 'Attacks and faults'],
]

/** Builds docs/coverage.md: every row with the passed tests whose titles begin with its id, or `open`. */
export function buildCoverage(rows: CoverageRow[], tests: TestRecord[]): string {
  const holders = collectHolders(rows, tests)
  const lines = new Map(sections.map(([, heading]) => [heading, [] as string[]]))
  let held = 0
  for (const { id, what, note } of rows) {
    const named = (holders.get(id) ?? []).map(printTest)
    const open = named.length === 0 || note?.startsWith('open')
    if (!open) held++
    const cell = [note ? printCell(note) : open ? 'open' : '', ...named].filter(Boolean).join('<br>')
    const [, heading] = sections.find(([pattern]) => pattern.test(id)) ?? ['', '']
    lines.get(heading)?.push(`| ${id} | ${printCell(what)} | ${cell} |`)
  }
  const tables = [...lines].map(
    ([heading, body]) => `## ${heading}\n\n| id | what | tests |\n|---|---|---|\n${body.join('\n')}\n`,
  )
  return `# Coverage

Which test holds which clause. Made by \`npm run coverage\` from the last full \`npm test\`: a test holds every id its title
begins with. \`npm test\` fails when a test named here did not run, and when a title begins with an unknown id. Rows and
notes are in \`coverage-rows.json\`.

${rows.length} rows: ${held} held by tests, ${rows.length - held} open.

${tables.join('\n')}`
}

/** Lists the tests that a committed docs/coverage.md names. */
export function readNamedTests(markdown: string): NamedTest[] {
  const cells = markdown.split('\n').flatMap((line) => (line.startsWith('| ') ? line.split('<br>') : []))
  return cells.flatMap((cell) => {
    const match = /^(?:.* \| )?(.*) \(\[([^\]]+)\]\([^)]*\)\)(?: \|)?$/.exec(cell)
    return match ? [{ title: readCell(match[1] ?? ''), file: match[2] ?? '' }] : []
  })
}

function collectHolders(rows: CoverageRow[], tests: TestRecord[]): Map<string, NamedTest[]> {
  const known = new Set(rows.map(({ id }) => id))
  const holders = new Map<string, NamedTest[]>()
  const seen = new Set<string>()
  for (const { title, file, result } of tests) {
    if (result !== 'passed' || seen.has(`${file}\0${title}`)) continue
    seen.add(`${file}\0${title}`)
    for (const id of readIds(title, known).ids) holders.set(id, [...(holders.get(id) ?? []), { title, file }])
  }
  return holders
}

function printTest({ title, file }: NamedTest): string {
  return `${printCell(title)} ([${file}](../${file}))`
}

function printCell(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('|', '&#124;')
}

function readCell(text: string): string {
  return text.replaceAll('&#124;', '|').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}
