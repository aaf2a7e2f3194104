import type { ScalarType } from '@countersign/core'
import { readJsonColumn } from '../json-column.ts'

/** SQLite gives 0 and 1, PostgreSQL true and false: `Boolean()` reads both, and both drivers take a boolean. */
export type Bool = boolean | number

interface Codec<Value, Cell> {
  read(cell: Cell): Value
  write?(value: Value): Cell
}

/** Where a member is stored, and how its value is written there. `Value` is the member's type, `Cell` the column's. */
export class Column<Value = unknown, Cell = unknown, Name extends string | undefined = string | undefined> {
  /** The column; the member's name in snake case unless given. */
  readonly name: Name
  /** How filters compare it. */
  readonly type: ScalarType
  readonly isNullable: boolean
  /** Undefined where the cell is the value. */
  readonly codec: Codec<Value, Cell> | undefined

  constructor(name: Name, type: ScalarType, isNullable: boolean, codec?: Codec<Value, Cell>) {
    this.name = name
    this.type = type
    this.isNullable = isNullable
    this.codec = codec
  }
}

type Unnamed<Value, Cell> = Column<Value, Cell, undefined>

/** The column under a name that is not the member's. */
export function named<const Name extends string, Value, Cell>(
  name: Name,
  { type, isNullable, codec }: Unnamed<Value, Cell>,
): Column<Value, Cell, Name> {
  return new Column(name, type, isNullable, codec)
}

export function text<Value extends string = string>(): Unnamed<Value, string> {
  return new Column(undefined, 'string', false)
}

export function textOrNull(): Unnamed<string | null, string | null> {
  return new Column(undefined, 'string', true)
}

export function bool(): Unnamed<boolean, Bool> {
  return new Column<boolean, Bool, undefined>(undefined, 'bool', false, { read: Boolean })
}

export function int(): Unnamed<number, number> {
  return new Column(undefined, 'number', false)
}

export function intOrNull(): Unnamed<number | null, number | null> {
  return new Column(undefined, 'number', true)
}

/** An instant in milliseconds. */
export function instant(): Unnamed<number, number> {
  return new Column(undefined, 'datetime', false)
}

export function instantOrNull(): Unnamed<number | null, number | null> {
  return new Column(undefined, 'datetime', true)
}

/** JSON text. Values that are read may be frozen and shared between rows. */
export function json<Value>(): Unnamed<Value, string> {
  return new Column(undefined, 'string', false, { read: readJsonColumn, write: JSON.stringify })
}

export function jsonOrNull<Value>(): Unnamed<Value | null, string | null> {
  return new Column<Value | null, string | null, undefined>(undefined, 'string', true, {
    read: (cell) => (cell === null ? null : readJsonColumn(cell)),
    write: (value) => (value === null ? null : JSON.stringify(value)),
  })
}

/** A member that is stored with others in one column, as a member of its JSON object. */
export class Packed<Value = unknown> {
  readonly column: string
  /** Only for the type. */
  declare readonly value: Value

  constructor(column: string) {
    this.column = column
  }
}

/** A member whose value comes from several columns. It is not written through the map. */
export class Computed<Value = unknown, Row = never> {
  readonly from: (row: Row) => Value

  constructor(from: (row: Row) => Value) {
    this.from = from
  }
}

/** A member whose value is in other tables: the reader is given it beside the row. It is not written through the map. */
export class Beside<Value = unknown> {
  /** Only for the type. */
  declare readonly value: Value
}
