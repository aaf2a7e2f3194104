import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles, root } from '../paths.ts'

/** One line of docs/requirements. `open` is the reason why no test has to hold it yet. */
export type Requirement = { id: string; what: string; open?: string }

export const requirementsFolder = 'docs/requirements'

const idCell = /^(?:S\d-|D\d|[A-Z]-\d)[\w.-]*$/

/** Reads every table of docs/requirements. Throws when there is no id or when an id appears twice. */
export function loadRequirements(): Requirement[] {
  const files = listFiles([`${requirementsFolder}/*.md`])
  const requirements = files.flatMap((file) => readRequirements(readFileSync(join(root, file), 'utf8')))
  const ids = requirements.map(({ id }) => id)
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at)
  if (ids.length === 0) throw new Error(`${requirementsFolder}: no ids`)
  if (twice.length > 0) throw new Error(`${requirementsFolder}: these ids appear twice: ${twice.join(', ')}`)
  return requirements
}

/** Reads the lines of a page: `| id | what |`, more cells to say what, and `open: reason` in the last one. */
export function readRequirements(markdown: string): Requirement[] {
  return markdown.split('\n').flatMap((line): Requirement[] => {
    const [id = '', ...cells] = readCells(line)
    if (!idCell.test(id)) return []
    const open = /^open: (.+)$/.exec(cells.at(-1) ?? '')?.[1]
    const what = (open === undefined ? cells : cells.slice(0, -1)).join(': ')
    return [{ id, what, ...(open !== undefined && { open }) }]
  })
}

/** The cells of a line of a Markdown table, in which `\|` is a bar. */
function readCells(line: string): string[] {
  if (!line.startsWith('|')) return []
  const cells = line.split(/(?<!\\)\|/).slice(1, -1)
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}
