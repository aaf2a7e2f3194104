import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { findDirectConnection } from './direct-connection.ts'
import type { Database } from './schema.ts'

/** A placeholder for the n-th argument while a query is compiled. */
export class Argument {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

/**
 * A query that is compiled once per dialect and then only run: building a query costs several times as much as running it.
 * `build` may use its arguments only as values.
 */
export function prepared<Args extends readonly unknown[], Row>(
  argumentCount: Args['length'],
  build: (db: Kysely<Database>, ...args: Args) => Compilable<Row>,
): (db: Kysely<Database>, ...args: Args) => Promise<Row[]> {
  const compile = compileOnce(argumentCount, build)
  return (db, ...args) => runPrepared(db, compile(db), args)
}

/** Like `prepared`, for queries that `readLong` runs: returns the query with its arguments. */
export function preparedQuery<Args extends readonly unknown[], Row>(
  argumentCount: Args['length'],
  build: (db: Kysely<Database>, ...args: Args) => Compilable<Row>,
): (db: Kysely<Database>, ...args: Args) => CompiledQuery<Row> {
  const compile = compileOnce(argumentCount, build)
  return (db, ...args) => {
    const compiled = compile(db)
    return { ...compiled, parameters: bindArguments(compiled, args) }
  }
}

function compileOnce<Args extends readonly unknown[], Row>(
  argumentCount: Args['length'],
  build: (db: Kysely<Database>, ...args: Args) => Compilable<Row>,
): (db: Kysely<Database>) => CompiledQuery<Row> {
  const placeholders = Array.from({ length: argumentCount }, (_, index) => new Argument(index)) as unknown as Args
  const compiledFor = new Map<unknown, CompiledQuery<Row>>()
  return (db) => {
    const dialect = dialectOf(db)
    let compiled = compiledFor.get(dialect)
    if (!compiled) {
      compiled = build(db, ...placeholders).compile()
      compiledFor.set(dialect, compiled)
    }
    return compiled
  }
}

/** Runs a query that was compiled with `Argument` placeholders. */
export function runPrepared<Row>(
  db: Kysely<Database>,
  compiled: CompiledQuery<Row>,
  args: readonly unknown[],
): Promise<Row[]> {
  return run(db, compiled, bindArguments(compiled, args))
}

/** The parameters of a query, with `args` in place of the placeholders. */
export function bindArguments({ parameters }: CompiledQuery, args: readonly unknown[]): unknown[] {
  return parameters.map((value) => (value instanceof Argument ? args[value.index] : value))
}

/**
 * Like `prepared`, for a query by a list of ids. Lists are padded with their last id to a power of two, so that there are few
 * statements. Returns no rows for an empty list.
 */
export function preparedForIds<Extra extends readonly unknown[], Row>(
  extraCount: Extra['length'],
  build: (db: Kysely<Database>, ids: readonly string[], ...extra: Extra) => Compilable<Row>,
): (db: Kysely<Database>, ids: readonly string[], ...extra: Extra) => Promise<Row[]> {
  const bySize = new Map<number, (db: Kysely<Database>, ...args: unknown[]) => Promise<Row[]>>()
  return (db, ids, ...extra) => {
    const last = ids.at(-1)
    if (last === undefined) return Promise.resolve([])
    const size = 2 ** Math.ceil(Math.log2(ids.length))
    let query = bySize.get(size)
    if (!query) {
      query = prepared<unknown[], Row>(size + extraCount, (on, ...args) => {
        return build(on, args.slice(0, size) as string[], ...(args.slice(size) as unknown as Extra))
      })
      bySize.set(size, query)
    }
    return query(db, ...ids, ...Array.from({ length: size - ids.length }, () => last), ...extra)
  }
}

/** Bypasses Kysely's connection pool where there is only one connection: acquiring it costs more than most statements. */
async function run<Row>(
  db: Kysely<Database>,
  compiled: CompiledQuery<Row>,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const direct = findDirectConnection(db)
  if (direct) return direct.rowsOf(compiled.sql, parameters) as Row[]
  return (await db.executeQuery<Row>({ ...compiled, parameters })).rows
}

/** Identifies the SQL dialect; a transaction has the dialect of its connection. */
function dialectOf(db: Kysely<Database>): unknown {
  return db.getExecutor().adapter.constructor
}

type InsertedRow = Readonly<Record<string, unknown>>

/** A compiled insert of `rowCount` rows with these columns. */
interface Insert {
  readonly dialect: unknown
  readonly rowCount: number
  readonly columns: readonly string[]
  readonly compiled: CompiledQuery
}

/** By table. A table has few, so comparing the columns one by one is cheaper than building a key from them. */
const inserts = new Map<string, Insert[]>()

/** Inserts one row; the statement for a table and its columns is compiled once. */
export async function insertRow<Table extends keyof Database & string>(
  db: Kysely<Database>,
  table: Table,
  row: InsertedRow,
): Promise<void> {
  await run(db, findInsert(db, table, row, 1) ?? addInsert(db, table, [row]), Object.values(row))
}

/** Inserts of more rows are too rare to cache their statement. */
const MAX_CACHED_ROWS = 8

/** Inserts rows with the same columns; the statement for a number of rows is compiled once. */
export async function insertRows<Table extends keyof Database & string>(
  db: Kysely<Database>,
  table: Table,
  rows: readonly InsertedRow[],
): Promise<void> {
  const [first] = rows
  if (!first) return
  if (rows.length > MAX_CACHED_ROWS) {
    await db
      .insertInto(table)
      .values(rows as never)
      .execute()
    return
  }
  const insert = findInsert(db, table, first, rows.length) ?? addInsert(db, table, rows)
  await run(db, insert, rows.flatMap(Object.values))
}

function findInsert(
  db: Kysely<Database>,
  table: string,
  row: InsertedRow,
  rowCount: number,
): CompiledQuery | undefined {
  const dialect = dialectOf(db)
  for (const known of inserts.get(table) ?? []) {
    if (known.dialect === dialect && known.rowCount === rowCount && hasColumns(row, known.columns))
      return known.compiled
  }
  return undefined
}

function addInsert(db: Kysely<Database>, table: keyof Database & string, rows: readonly InsertedRow[]): CompiledQuery {
  const compiled = db
    .insertInto(table)
    .values(rows as never)
    .compile()
  const insert = { dialect: dialectOf(db), rowCount: rows.length, columns: Object.keys(rows[0] ?? {}), compiled }
  inserts.set(table, [...(inserts.get(table) ?? []), insert])
  return compiled
}

/** Column order matters: values are bound by position. */
function hasColumns(row: InsertedRow, columns: readonly string[]): boolean {
  let at = 0
  for (const column in row) {
    if (column !== columns[at]) return false
    at += 1
  }
  return at === columns.length
}
