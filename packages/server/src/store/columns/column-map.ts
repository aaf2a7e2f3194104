import { separateWords } from '@countersign/contract/resource'
import type { IntersectionOf } from '../../platform/intersection-of.ts'
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

/** The columns of a map, with the types of their cells. */
export type CellsOf<Map> = IntersectionOf<{ [Name in keyof Map]: CellsOfMember<Name, Map[Name]> }[keyof Map]>

/** `jwksCaPem` is `jwks_ca_pem` in the database. */
export function columnName(member: string, { name }: { readonly name?: string | undefined }): string {
  return name ?? separateWords(member, '_')
}

/** The plain columns of a map by the path of their member: `primary.cert.allowed`. */
export function listColumns(map: ColumnMap, path = ''): (readonly [member: string, name: string, column: Column])[] {
  return Object.entries(map).flatMap(([member, place]) => {
    if (place instanceof Column) return [[`${path}${member}`, columnName(member, place), place] as const]
    return isMap(place) ? listColumns(place, `${path}${member}.`) : []
  })
}

type Cells = Readonly<Record<string, unknown>>
type Read = (row: Cells, beside: Cells) => unknown

/** A function that reads rows by a map; what is in other tables is given beside the row. */
export function createReader<Row, Thing, Others = Record<never, never>>(
  map: ColumnMap,
): (row: Row, beside?: Others) => Thing {
  return readerOfMap(map) as (row: Row, beside?: Others) => Thing
}

function readerOfMap(map: ColumnMap): Read {
  const readers = Object.entries(map).map(([member, place]) => ({ member, read: readerOf(member, place) }))
  const Thing = plainConstructor()
  return (row, beside) => {
    const thing = new Thing()
    for (const { member, read } of readers) thing[member] = read(row, beside)
    return thing
  }
}

/** Makes plain objects that soon have room for all their members from the start: `{}` grows with each, at three times the cost. */
function plainConstructor(): new () => Record<string, unknown> {
  function Plain() {}
  Plain.prototype = Object.prototype
  return Plain as unknown as new () => Record<string, unknown>
}

function readerOf(member: string, place: MappedMember): Read {
  if (place instanceof Packed) return (row) => (readJsonColumn(row[place.column] as string) as Cells)[member]
  if (place instanceof Computed) return place.from as Read
  if (place instanceof Beside) return (_, beside) => beside[member]
  if (!(place instanceof Column)) return readerOfMap(place)
  const name = columnName(member, place)
  const read = place.codec?.read
  return read ? (row) => read(row[name]) : (row) => row[name]
}

/** A function that makes the columns of a thing, in the order of the map. */
export function createWriter<Thing, Row>(map: ColumnMap): (thing: Thing) => Row {
  return (thing) => {
    const cells: Record<string, unknown> = {}
    const packed: Record<string, Record<string, unknown>> = {}
    writeMembers(map, thing as Cells, cells, packed)
    for (const [column, members] of Object.entries(packed)) cells[column] = JSON.stringify(members)
    return cells as Row
  }
}

function writeMembers(
  map: ColumnMap,
  thing: Cells,
  cells: Record<string, unknown>,
  packed: Record<string, Record<string, unknown>>,
): void {
  for (const [member, place] of Object.entries(map)) {
    const value = thing[member]
    if (place instanceof Packed) {
      packed[place.column] = { ...packed[place.column], [member]: value }
    } else if (place instanceof Column) {
      cells[columnName(member, place)] = place.codec?.write ? place.codec.write(value) : value
    } else if (isMap(place)) writeMembers(place, value as Cells, cells, packed)
  }
}

function isMap(place: MappedMember): place is ColumnMap {
  return ![Column, Packed, Computed, Beside].some((kind) => place instanceof kind)
}
