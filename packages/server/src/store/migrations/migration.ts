import type { StoreDialect } from '../transaction.ts'

/** Column types by their meaning; each database has its own words for them. */
export interface ColumnTypes {
  readonly dialect: StoreDialect
  readonly text: string
  readonly bool: string
  readonly int: string
  readonly sequence: string
  /** The boolean false. */
  readonly no: string
  /** Statements that from then on run another one for each row that is inserted or deleted. */
  trigger(options: TriggerOptions): string[]
}

interface TriggerOptions {
  readonly name: string
  readonly table: string
  readonly event: 'insert' | 'delete'
  readonly run: string
}

/** One step of the schema. A step that has been released is never edited: a later one corrects it. */
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

/** Text is compared byte by byte whatever the cluster's locale says: names that differ in case are different names. */
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
