/** Column types by their meaning; each database has its own words for them. */
export interface ColumnTypes {
  readonly text: string
  readonly bool: string
  readonly int: string
  readonly sequence: string
  /** The boolean false. */
  readonly no: string
}

/** One step of the schema. A step that has been released is never edited: a later one corrects it. */
export interface Migration {
  readonly version: number
  readonly name: string
  statements(types: ColumnTypes): string[]
}

export const SQLITE_TYPES: ColumnTypes = {
  text: 'text',
  bool: 'integer',
  int: 'integer',
  sequence: 'integer primary key autoincrement',
  no: '0',
}

/** Text is compared byte by byte whatever the cluster's locale says: names that differ in case are different names. */
export const POSTGRES_TYPES: ColumnTypes = {
  text: 'text collate "C"',
  bool: 'boolean',
  int: 'bigint',
  sequence: 'bigint generated always as identity primary key',
  no: 'false',
}
