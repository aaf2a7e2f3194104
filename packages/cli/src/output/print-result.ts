import { usageError } from '../cli-error.ts'
import type { Call, Flag } from '../command.ts'
import { printable, printableJsonLines } from '../printable.ts'
import { buildTable, type Column } from './fit-table.ts'
import { printableYamlLines } from './printable-yaml.ts'

const FORMATS = ['table', 'json', 'yaml', 'name'] as const
type Format = (typeof FORMATS)[number]

/** Every command has it, except those without `hasOutput`. */
export const OUTPUT_FLAG: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  choices: FORMATS,
  description: 'How to print the result: table, json, yaml or name, which is only the names or ids [table]',
}

/** The value of `--output`. Throws for an unknown one. */
export function getFormat({ flags }: Pick<Call, 'flags'>): Format {
  const format = flags.output ?? 'table'
  const known = FORMATS.find((name) => name === format)
  if (!known) throw usageError(`there is no output format "${String(format)}"`, `write -o ${FORMATS.join(' or -o ')}`)
  return known
}

/** Prints a list. An empty table prints nothing on stdout, and a note on stderr. */
export async function printList<Row>(
  call: Call,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  nameOf?: (row: Row) => unknown,
): Promise<void> {
  if (getFormat(call) !== 'table') return printData(call, rows, nameOf)
  if (rows.length === 0) call.terminal.note('there are none')
  else for (const line of buildTable(rows, columns, call.terminal.columns)) call.terminal.out(line)
}

/** Prints an object: as a table with a line for each member. */
export async function printObject<Value extends object>(
  call: Call,
  value: Value,
  nameOf?: (value: Value) => unknown,
): Promise<void> {
  if (getFormat(call) !== 'table') return printData(call, value, nameOf)
  const members = flatten(value)
  const width = Math.max(0, ...members.map(([name]) => name.length))
  for (const [name, text] of members) {
    const [first = '', ...rest] = text.split('\n')
    call.terminal.out([['bold', name.padEnd(width)], `  ${first}`])
    for (const line of rest) call.terminal.out(`${' '.repeat(width)}  ${line}`)
  }
}

/** Prints a value as JSON or YAML, or the name of each item. `nameOf` returns the names of items without `name` and `id`. */
export async function printData(
  { terminal, ...call }: Pick<Call, 'flags' | 'terminal'>,
  value: unknown,
  nameOf: (item: never) => unknown = findName,
): Promise<void> {
  for (const line of await buildDataLines(getFormat(call), value, nameOf as (item: unknown) => unknown)) {
    terminal.out(line)
  }
}

async function buildDataLines(format: Format, value: unknown, nameOf: (item: unknown) => unknown): Promise<string[]> {
  if (format === 'json') return printableJsonLines(value)
  if (format === 'yaml') return printableYamlLines(value)
  return [value].flat().flatMap((item) => toNameLine(nameOf(item)))
}

/** An item that no command could take by this name has no line. */
function toNameLine(name: unknown): string[] {
  return typeof name === 'string' && name !== '' ? [printable(name)] : []
}

/** What other commands take: the name, or the id of an item without one. */
function findName(item: unknown): unknown {
  const { name, id } = (typeof item === 'object' && item !== null ? item : {}) as { name?: unknown; id?: unknown }
  return typeof name === 'string' && name !== '' ? name : id
}

/** Prints a text: alone as a table or a name, else as the member of an object. */
export async function printText(call: Call, member: string, text: string): Promise<void> {
  const format = getFormat(call)
  if (format === 'json' || format === 'yaml') return printData(call, { [member]: text })
  for (const line of text.split('\n')) call.terminal.out(line)
}

/** The members and their values as text; nested ones as `primary.cert.allowed`. Omits unset members. */
function flatten(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, member]): [string, string][] => {
    if (name === '_links' || member === null || member === undefined || member === '') return []
    if (Array.isArray(member)) return member.length > 0 ? [[prefix + name, joinTexts(member.map(toText))]] : []
    if (isEpochTime(member)) return [[prefix + name, new Date(member.epochSecond * 1000).toISOString()]]
    if (typeof member === 'object') return flatten(member, `${prefix}${name}.`)
    return [[prefix + name, toText(member)]]
  })
}

/** A time as the hosted API writes some. Its fraction of a second is omitted. */
function isEpochTime(value: object | string): value is { readonly epochSecond: number } {
  return typeof value === 'object' && 'epochSecond' in value && Number.isSafeInteger(value.epochSecond)
}

/** Single words on one line, sentences on a line each. */
function joinTexts(texts: readonly string[]): string {
  return texts.join(texts.some((text) => text.includes(' ')) ? '\n' : ', ')
}

function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
