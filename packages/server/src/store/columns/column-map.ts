import { readJsonColumn } from '../json-column.ts'
import { Beside, Column, Computed, Packed } from './column.ts'

/** Where the members of a thing are stored; members that are objects are maps of their own. */
export interface ColumnMap {
  readonly [member: string]: MappedMember
}
type MappedMember =
  // biome-ignore lint/suspicious/noExplicitAny: values and cells are checked where a map is written down
  Column<any, any> | Packed<any> | Computed<any, any> | Beside<any> | ColumnMap

/** What a map must have: a place for every member, of the member's type. */
export type ColumnsFor<Settings> = {
  readonly [Member in keyof Settings]-?:
    | PlaceOf<Settings[Member]>
    | (Settings[Member] extends readonly unknown[] | null
        ? never
        : Settings[Member] extends object
          ? ColumnsFor<Settings[Member]>
          : never)
}
// biome-ignore lint/suspicious/noExplicitAny: a column's own type is its affair
type PlaceOf<Value> = Column<Value, any> | Packed<Value> | Computed<Value, any> | Beside<Value>

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Name

type CellsOfMember<Name, Member> =
  Member extends Column<infer _Value, infer Cell, infer Given>
    ? { [Key in Given extends string ? Given : SnakeCase<Name & string>]: Cell }
    : Member extends Packed | Computed<unknown, never> | Beside
      ? Record<never, never>
      : CellsOf<Member>

type Intersected<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The columns of a map, with the types of their cells. */
export type CellsOf<Map> = Intersected<{ [Name in keyof Map]: CellsOfMember<Name, Map[Name]> }[keyof Map]>

/** `jwksCaPem` is `jwks_ca_pem` in the database. */
export function columnName(member: string, { name }: { readonly name?: string | undefined }): string {
  return name ?? member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The plain columns of a map by the path of their member: `primary.cert.allowed`. */
export function listColumns(map: ColumnMap, path = ''): (readonly [member: string, name: string, column: Column])[] {
  return Object.entries(map).flatMap(([member, place]) => {
    if (place instanceof Column) return [[`${path}${member}`, columnName(member, place), place] as const]
    return isMap(place) ? listColumns(place, `${path}${member}.`) : []
  })
}

/**
 * A function that reads rows by a map. It is written out as an object literal once and compiled, since a loop over members takes twenty
 * times as long for each row. Only names of maps become part of the code.
 */
export function compileReader<Row, Thing, Others = Record<never, never>>(
  map: ColumnMap,
): (row: Row, beside?: Others) => Thing {
  const helpers: unknown[] = [readJsonColumn]
  const code = readerCode(map, helpers)
  return new Function('h', `return (row, beside) => (${code})`)(helpers)
}

/** A function that makes the columns of a thing, in the order of the map. */
export function compileWriter<Thing, Row>(map: ColumnMap): (thing: Thing) => Row {
  const helpers: unknown[] = []
  const packed = new Map<string, string[]>()
  const members = writerCode(map, 'thing', helpers, packed)
  const whole = [...packed].map(([column, parts]) => `${column}: JSON.stringify({ ${parts.join(', ')} })`)
  return new Function('h', `return (thing) => ({ ${[...members, ...whole].join(', ')} })`)(helpers)
}

function readerCode(map: ColumnMap, helpers: unknown[]): string {
  const members = Object.entries(map).map(([member, place]) => `${safe(member)}: ${readCode(member, place, helpers)}`)
  return `{ ${members.join(', ')} }`
}

function readCode(member: string, place: MappedMember, helpers: unknown[]): string {
  if (place instanceof Packed) return `h[0](row.${safe(place.column)}).${safe(member)}`
  if (place instanceof Computed) return `h[${helpers.push(place.from) - 1}](row)`
  if (place instanceof Beside) return `beside.${safe(member)}`
  if (isMap(place)) return readerCode(place, helpers)
  const cell = `row.${safe(columnName(member, place))}`
  return place.codec ? `h[${helpers.push(place.codec.read) - 1}](${cell})` : cell
}

function writerCode(map: ColumnMap, from: string, helpers: unknown[], packed: Map<string, string[]>): string[] {
  return Object.entries(map).flatMap(([member, place]) => {
    const value = `${from}.${safe(member)}`
    if (place instanceof Packed) {
      const column = safe(place.column)
      packed.set(column, [...(packed.get(column) ?? []), `${safe(member)}: ${value}`])
      return []
    }
    if (place instanceof Computed || place instanceof Beside) return []
    if (isMap(place)) return writerCode(place, value, helpers, packed)
    const write = place.codec?.write
    const cell = write ? `h[${helpers.push(write) - 1}](${value})` : value
    return [`${safe(columnName(member, place))}: ${cell}`]
  })
}

function isMap(place: MappedMember): place is ColumnMap {
  return ![Column, Packed, Computed, Beside].some((kind) => place instanceof kind)
}

/** Names that cannot be anything but names, since they become code. */
function safe(name: string): string {
  if (!/^[a-z]\w*$/i.test(name)) throw new TypeError(`"${name}" cannot be the name of a column`)
  return name
}
