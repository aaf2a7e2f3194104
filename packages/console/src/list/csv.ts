/** How a list is exported: a file name, and a column for each member of the API. */
export interface CsvExport<Item> {
  readonly fileName: string
  readonly columns: readonly (readonly [name: string, value: (item: Item) => CsvValue])[]
}

export type CsvValue = string | number | boolean | null | undefined

/** The rows in the form of RFC 4180, with a line of the columns' names. */
export function csvText<Item>({ columns }: Pick<CsvExport<Item>, 'columns'>, items: readonly Item[]): string {
  const head = columns.map(([name]) => csvCell(name))
  const rows = items.map((item) => columns.map(([, value]) => csvCell(value(item))))
  return [head, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('')
}

function csvCell(value: CsvValue): string {
  const text = neutralised(String(value ?? ''))
  return /[",\r\n]/.test(text) || text.trim() !== text ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Spreadsheets run text that begins like this as a formula, some after white space and with full-width signs. Some take a semicolon or a tab for the
 * end of a cell.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s\0]*[=+\-@＝＋－＠|%])|^(?=[\t\r\n])/gu

/** Names and claims come from other people: an apostrophe makes a spreadsheet take them as text. */
function neutralised(text: string): string {
  return text.replaceAll(FORMULA, "'")
}
