/** A column: its title and what a row shows in it. */
export interface Column<Row> {
  readonly title: string
  readonly get: (row: Row) => unknown
}

const GAP = '  '
const SMALLEST = 6
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u
const NARROW = /[\p{Mn}\p{Me}\u200b-\u200d]/u

/** How many places of a terminal the text takes. */
function measure(text: string): number {
  let width = 0
  for (const character of text) width += NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** The text in exactly so many places, cut with `…` where it is longer. */
function place(text: string, width: number): string {
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
 * Builds the lines of a table. With `columns` no line is longer: the widest cells are cut first, and when there is no room
 * for all, the last columns are left out.
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
      .map((width, index) => place(line[index] ?? '', width))
      .join(GAP)
      .trimEnd(),
  )
}

/** Makes the widths fit; there may be fewer of them afterwards. */
function shrink(wanted: readonly number[], columns: number | undefined): number[] {
  const widths = [...wanted]
  if (columns === undefined) return widths
  const total = () => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1))
  while (total() > columns) {
    const widest = widths.indexOf(Math.max(...widths))
    const width = widths[widest] ?? 0
    if (width > SMALLEST) widths[widest] = Math.max(SMALLEST, width - (total() - columns), secondWidest(widths, widest))
    else if (widths.length > 1) widths.pop()
    else return [Math.max(1, columns)]
  }
  return widths
}

/** Cutting stops where another column becomes the widest, so that two long ones are cut alike. */
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
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).replace(/[\r\n\t]/g, ' ')
}
