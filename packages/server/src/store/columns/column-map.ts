import { separateWords } from '@countersign/contract/resource'
import type { IntersectionOf } from '../../platform/intersection-of.ts'
import { readJsonColumn } from '../json-column.ts'
import { Column, Computed, Joined, Packed } from './column.ts'

/** Where the members of an entity are stored; a member that is an object has a map of its own. */
export interface ColumnMap {
  readonly [member: string]: MappedMember
}
type MappedMember =
  // biome-ignore lint/suspicious/noExplicitAny: values and cells are checked where a map is written down
  Column<any, any> | Packed<any> | Computed<any, any> | Joined<any> | ColumnMap

/** The type that a map must have: a mapping of the right type for every member. */
export type ColumnsFor<Settings> = {
  readonly [Member in keyof Settings]-?:
    | MappingOf<Settings[Member]>
    | (Settings[Member] extends readonly unknown[] | null
        ? never
        : Settings[Member] extends object
          ? ColumnsFor<Settings[Member]>
          : never)
}
// biome-ignore lint/suspicious/noExplicitAny: the cell type does not matter here
type MappingOf<Value> = Column<Value, any> | Packed<Value> | Computed<Value, any> | Joined<Value>

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Name

type CellsOfMember<Name, Member> =
  Member extends Column<infer _Value, infer Cell, infer Given>
    ? { [Key in Given extends string ? Given : SnakeCase<Name & string>]: Cell }
    : Member extends Packed | Computed<unknown, never> | Joined
      ? Record<never, never>
      : CellsOf<Member>

/** The columns of a map, with the types of their cells. */
export type CellsOf<Map> = IntersectionOf<{ [Name in keyof Map]: CellsOfMember<Name, Map[Name]> }[keyof Map]>

/** The column of `jwksCaPem` is `jwks_ca_pem`. */
export function columnName(member: string, { name }: { readonly name?: string | undefined }): string {
  return name ?? separateWords(member, '_')
}

/** The plain columns of a map by the path of their member: `primary.cert.allowed`. */
export function listColumns(map: ColumnMap, path = ''): (readonly [member: string, name: string, column: Column])[] {
  return Object.entries(map).flatMap(([member, mapping]) => {
    if (mapping instanceof Column) return [[`${path}${member}`, columnName(member, mapping), mapping] as const]
    return isMap(mapping) ? listColumns(mapping, `${path}${member}.`) : []
  })
}

type Cells = Readonly<Record<string, unknown>>
type Read = (row: Cells, joined: Cells) => unknown
type PackedCells = Record<string, Record<string, unknown>>
type Write = (entity: Cells, cells: Record<string, unknown>, packed: PackedCells) => void

/** Creates a function that reads rows by a map; `joined` holds the values from other tables. */
export function createReader<Row, Entity, Others = Record<never, never>>(
  map: ColumnMap,
): (row: Row, joined?: Others) => Entity {
  return readerOfMap(map) as (row: Row, joined?: Others) => Entity
}

function readerOfMap(map: ColumnMap): Read {
  const readers = Object.entries(map).map(([member, mapping]) => ({ member, read: readerOf(member, mapping) }))
  const Entity = plainConstructor()
  return (row, joined) => {
    const entity = new Entity()
    for (const { member, read } of readers) entity[member] = read(row, joined)
    return entity
  }
}

/** V8 learns how many members a constructor's objects get and allocates them at once; `{}` grows with each member, at three times the cost. */
function plainConstructor(): new () => Record<string, unknown> {
  function Plain() {}
  Plain.prototype = Object.prototype
  return Plain as unknown as new () => Record<string, unknown>
}

function readerOf(member: string, mapping: MappedMember): Read {
  if (mapping instanceof Packed) return (row) => (readJsonColumn(row[mapping.column] as string) as Cells)[member]
  if (mapping instanceof Computed) return mapping.from as Read
  if (mapping instanceof Joined) return (_, joined) => joined[member]
  if (!(mapping instanceof Column)) return readerOfMap(mapping)
  const name = columnName(member, mapping)
  const read = mapping.codec?.read
  return read ? (row) => read(row[name]) : (row) => row[name]
}

/** Creates a function that writes an entity to columns, in the order of the map. */
export function createWriter<Entity, Row>(map: ColumnMap): (entity: Entity) => Row {
  const write = writerOfMap(map)
  return (entity) => {
    const cells: Record<string, unknown> = {}
    const packed: PackedCells = {}
    write(entity as Cells, cells, packed)
    for (const [column, members] of Object.entries(packed)) cells[column] = JSON.stringify(members)
    return cells as Row
  }
}

function writerOfMap(map: ColumnMap): Write {
  const writers = Object.entries(map).flatMap(([member, mapping]) => writerOf(member, mapping) ?? [])
  return (entity, cells, packed) => {
    for (const write of writers) write(entity, cells, packed)
  }
}

function writerOf(member: string, mapping: MappedMember): Write | undefined {
  if (mapping instanceof Packed) {
    const { column } = mapping
    return (entity, _, packed) => {
      packed[column] = { ...packed[column], [member]: entity[member] }
    }
  }
  if (mapping instanceof Column) {
    const name = columnName(member, mapping)
    const encode = mapping.codec?.write ?? ((value: unknown) => value)
    return (entity, cells) => {
      cells[name] = encode(entity[member])
    }
  }
  if (!isMap(mapping)) return undefined
  const write = writerOfMap(mapping)
  return (entity, cells, packed) => write(entity[member] as Cells, cells, packed)
}

function isMap(mapping: MappedMember): mapping is ColumnMap {
  return ![Column, Packed, Computed, Joined].some((kind) => mapping instanceof kind)
}
