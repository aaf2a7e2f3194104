import { printable } from '../printable.ts'

export interface Column<Row> {
  readonly title: string
  readonly get: (row: Row) => unknown
  /** Never truncated or dropped: a part of an id is of no use. */
  readonly isWhole?: boolean
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
 * Builds the lines of a table. `columns` limits their width: the widest cells are truncated first, then the last columns are dropped, but the
 * first one and whole ones stay. Lines are longer than `columns` only when whole cells alone are.
 */
export function buildTable<Row>(rows: readonly Row[], table: readonly Column<Row>[], columns?: number): string[] {
  const cells = rows.map((row) => table.map(({ get }) => toText(get(row))))
  const all = [table.map(({ title }) => title), ...cells]
  const desired = table.map(({ isWhole = false }, index) => {
    return { index, isWhole, width: Math.max(...all.map((line) => measure(line[index] ?? ''))) }
  })
  const shown = shrink(desired, columns)
  return all.map((line) =>
    shown
      .map(({ index, width }) => fitCell(line[index] ?? '', width))
      .join(GAP)
      .trimEnd(),
  )
}

interface SizedColumn {
  readonly index: number
  readonly isWhole: boolean
  readonly width: number
}

/** Reduces the widths to fit `columns`, and drops columns when that is not enough. */
function shrink(desired: readonly SizedColumn[], columns = Number.POSITIVE_INFINITY): readonly SizedColumn[] {
  const narrowed = narrowAll(desired, columns)
  if (totalWidth(narrowed) <= columns) return narrowed
  const fewer = dropLast(desired)
  if (fewer) return shrink(fewer, columns)
  return narrowed.map((column) => (column.isWhole ? column : { ...column, width: remainder(narrowed, columns) }))
}

function narrowAll(desired: readonly SizedColumn[], columns: number): readonly SizedColumn[] {
  let sized = desired
  for (;;) {
    const excess = totalWidth(sized) - columns
    const next = excess > 0 ? narrow(sized, excess) : undefined
    if (!next) return sized
    sized = next
  }
}

function totalWidth(sized: readonly SizedColumn[]): number {
  return sized.reduce((sum, { width }) => sum + width, GAP.length * (sized.length - 1))
}

/** Narrows the widest column, to where another becomes the widest, so that two long ones shrink equally. Undefined when none can be. */
function narrow(sized: readonly SizedColumn[], excess: number): SizedColumn[] | undefined {
  const [widest, second] = sized
    .filter(({ isWhole, width }) => !isWhole && width > MIN_WIDTH)
    .toSorted((a, b) => b.width - a.width)
  if (!widest) return undefined
  const stop = Math.min(second?.width ?? MIN_WIDTH, widest.width - 1)
  const width = Math.max(MIN_WIDTH, widest.width - excess, stop)
  return sized.map((column) => (column.index === widest.index ? { ...column, width } : column))
}

/** Undefined when only the first and whole columns are left. */
function dropLast(sized: readonly SizedColumn[]): SizedColumn[] | undefined {
  const last = sized.findLast(({ isWhole, index }) => !isWhole && index !== 0)
  return last && sized.filter((column) => column !== last)
}

/** What whole columns leave for the first one. */
function remainder(sized: readonly SizedColumn[], columns: number): number {
  const others = sized.map((column) => (column.isWhole ? column : { ...column, width: 0 }))
  return Math.max(1, columns - totalWidth(others))
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(toText).join(',')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  // Before it is measured: the terminal would replace these characters later.
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
