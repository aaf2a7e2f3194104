import { printable } from '../printable.ts'

export interface Column<Row> {
  readonly title: string
  readonly get: (row: Row) => unknown
}

const GAP = '  '
const MIN_WIDTH = 6
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u
const ZERO_WIDTH = /[\p{Mn}\p{Me}]/u

/** The number of terminal cells that the text occupies. */
function measure(text: string): number {
  let width = 0
  for (const character of text) width += ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Pads or truncates the text to `width` cells, with `…` at the end when truncated. */
function fitCell(text: string, width: number): string {
  const measured = measure(text)
  if (measured <= width) return text + ' '.repeat(width - measured)
  let [cut, used] = ['', 0]
  for (const character of text) {
    const next = measure(character)
    if (used + next > width - 1) break
    cut += character
    used += next
  }
  return `${cut}…${' '.repeat(width - 1 - used)}`
}

/**
 * Builds the lines of a table. `columns` limits their width: the widest cells are truncated first, then the last columns are dropped.
 */
export function buildTable<Row>(rows: readonly Row[], table: readonly Column<Row>[], columns?: number): string[] {
  const cells = rows.map((row) => table.map(({ get }) => toText(get(row))))
  const all = [table.map(({ title }) => title), ...cells]
  const widths = shrink(
    table.map((_, index) => Math.max(...all.map((line) => measure(line[index] ?? '')))),
    columns,
  )
  return all.map((line) =>
    widths
      .map((width, index) => fitCell(line[index] ?? '', width))
      .join(GAP)
      .trimEnd(),
  )
}

/** Reduces the widths to fit `columns`. Returns fewer widths when columns are dropped. */
function shrink(desired: readonly number[], columns: number | undefined): number[] {
  const widths = [...desired]
  if (columns === undefined) return widths
  const total = () => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))
  while (total() > columns) {
    const widest = widths.indexOf(Math.max(...widths))
    const width = widths[widest] ?? 0
    if (width > MIN_WIDTH)
      widths[widest] = Math.max(MIN_WIDTH, width - (total() - columns), secondWidest(widths, widest))
    else if (widths.length > 1) widths.pop()
    else return [Math.max(1, columns)]
  }
  return widths
}

/** Shrinking stops where another column becomes the widest, so that two long ones shrink equally. */
function secondWidest(widths: readonly number[], widest: number): number {
  const others = widths.filter((_, index) => index !== widest)
  const next = Math.max(0, ...others)
  const width = widths[widest] ?? 0
  return next < width ? next : width - 1
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(toText).join(',')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  // Before it is measured: the terminal would replace these characters later.
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
