import type { ScalarType } from '@countersign/core'
import { readJsonColumn } from '../json-column.ts'

/** SQLite returns 0 and 1, PostgreSQL true and false: `Boolean()` reads both. Both drivers accept a boolean. */
export type Bool = boolean | number

interface Codec<Value, Cell> {
  read(cell: Cell): Value
  write?(value: Value): Cell
}

/** The column of a member, and how its value is encoded. `Value` is the member's type, `Cell` the column's. */
export class Column<Value = unknown, Cell = unknown, Name extends string | undefined = string | undefined> {
  /** The column's name; by default the member's name in snake case. */
  readonly name: Name
  /** The type by which filters compare it. */
  readonly type: ScalarType
  readonly isNullable: boolean
  /** Undefined when the cell is the value. */
  readonly codec: Codec<Value, Cell> | undefined

  constructor(name: Name, type: ScalarType, isNullable: boolean, codec?: Codec<Value, Cell>) {
    this.name = name
    this.type = type
    this.isNullable = isNullable
    this.codec = codec
  }
}

type Unnamed<Value, Cell> = Column<Value, Cell, undefined>

/** Gives a column a name that is not derived from the member's. */
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

/** JSON text. The values may be frozen and shared between rows. */
export function json<Value>(): Unnamed<Value, string> {
  return new Column(undefined, 'string', false, { read: readJsonColumn, write: JSON.stringify })
}

export function jsonOrNull<Value>(): Unnamed<Value | null, string | null> {
  return new Column<Value | null, string | null, undefined>(undefined, 'string', true, {
    read: (cell) => (cell === null ? null : readJsonColumn(cell)),
    write: (value) => (value === null ? null : JSON.stringify(value)),
  })
}

/** A member that is stored with others in one JSON column. */
export class Packed<Value = unknown> {
  readonly column: string
  /** Only for the type. */
  declare readonly value: Value

  constructor(column: string) {
    this.column = column
  }
}

/** A member that is computed from the row. The map does not write it. */
export class Computed<Value = unknown, Row = never> {
  readonly from: (row: Row) => Value

  constructor(from: (row: Row) => Value) {
    this.from = from
  }
}

/** A member whose value is in another table: the reader receives it next to the row. The map does not write it. */
export class Joined<Value = unknown> {
  /** Only for the type. */
  declare readonly value: Value
}
