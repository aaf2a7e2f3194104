import type { StoreDialect } from '../transaction.ts'

/** The SQL of column types in one dialect. */
export interface ColumnTypes {
  readonly dialect: StoreDialect
  readonly text: string
  readonly bool: string
  readonly int: string
  readonly sequence: string
  /** The literal of the boolean false. */
  readonly no: string
  /** Statements that create a trigger, which runs `run` for each inserted or deleted row. */
  trigger(options: TriggerOptions): string[]
}

interface TriggerOptions {
  readonly name: string
  readonly table: string
  readonly event: 'insert' | 'delete'
  readonly run: string
}

/** One step of the schema. */
export interface Migration {
  readonly version: number
  readonly name: string
  statements(types: ColumnTypes): string[]
}

export const SQLITE_TYPES: ColumnTypes = {
  dialect: 'sqlite',
  text: 'text',
  bool: 'integer',
  int: 'integer',
  sequence: 'integer primary key autoincrement',
  no: '0',
  trigger: ({ name, table, event, run }) => [
    `create trigger ${name} after ${event} on ${table} for each row begin ${run}; end`,
  ],
}

/** Collation C compares text byte by byte in every locale: names that differ in case are different names. */
export const POSTGRES_TYPES: ColumnTypes = {
  dialect: 'postgres',
  text: 'text collate "C"',
  bool: 'boolean',
  int: 'bigint',
  sequence: 'bigint generated always as identity primary key',
  no: 'false',
  trigger: ({ name, table, event, run }) => [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${run}; return null; end $$`,
    `create trigger ${name} after ${event} on ${table} for each row execute function ${name}()`,
  ],
}
