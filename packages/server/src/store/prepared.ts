import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import { findDirectConnection } from './direct-connection.ts'
import type { Database } from './schema.ts'

/** Stands for the n-th argument while a query is put together. */
export class Argument {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

/**
 * A query that is put together once for each kind of database and from then on only run: building one costs several times as
 * much as running it. `build` may use its arguments only as values.
 */
export function prepared<Args extends readonly unknown[], Row>(
  argumentCount: Args['length'],
  build: (db: Kysely<Database>, ...args: Args) => Compilable<Row>,
): (db: Kysely<Database>, ...args: Args) => Promise<Row[]> {
  const placeholders = Array.from({ length: argumentCount }, (_, index) => new Argument(index)) as unknown as Args
  const compiledFor = new Map<unknown, CompiledQuery<Row>>()
  return (db, ...args) => {
    const dialect = dialectOf(db)
    let compiled = compiledFor.get(dialect)
    if (!compiled) {
      compiled = build(db, ...placeholders).compile()
      compiledFor.set(dialect, compiled)
    }
    return runPrepared(db, compiled, args)
  }
}

/** The rows of a query that was put together with arguments where its values are. */
export function runPrepared<Row>(
  db: Kysely<Database>,
  compiled: CompiledQuery<Row>,
  args: readonly unknown[],
): Promise<Row[]> {
  return run(db, compiled, bindArguments(compiled, args))
}

/** The parameters of a query with the values in place of the arguments that stand for them. */
export function bindArguments({ parameters }: CompiledQuery, args: readonly unknown[]): unknown[] {
  return parameters.map((value) => (value instanceof Argument ? args[value.index] : value))
}

/**
 * Like `prepared`, for a query about any of several ids. Lists are filled up to a power of two with the id they end with, so
 * that there are few statements, each for lists of one length. No ids, no rows.
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

/** Where there is one connection only, the statement goes straight to it: fetching it from a pool costs more than most statements. */
async function run<Row>(
  db: Kysely<Database>,
  compiled: CompiledQuery<Row>,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const direct = findDirectConnection(db)
  if (direct) return direct.rowsOf(compiled.sql, parameters) as Row[]
  return (await db.executeQuery<Row>({ ...compiled, parameters })).rows
}

/** What the text of a statement depends on; a transaction has the dialect of its connection. */
function dialectOf(db: Kysely<Database>): unknown {
  return db.getExecutor().adapter.constructor
}

type InsertedRow = Readonly<Record<string, unknown>>

/** A statement for so many rows of these columns. */
interface Insert {
  readonly dialect: unknown
  readonly rowCount: number
  readonly columns: readonly string[]
  readonly compiled: CompiledQuery
}

/** By table. Each has few: the columns are compared one by one, which takes less than to make one text of them all. */
const inserts = new Map<string, Insert[]>()

/** Inserts one row; the statement for a table and its columns is put together once. */
export async function insertRow<Table extends keyof Database & string>(
  db: Kysely<Database>,
  table: Table,
  row: InsertedRow,
): Promise<void> {
  await run(db, findInsert(db, table, row, 1) ?? addInsert(db, table, [row]), Object.values(row))
}

/** More rows than this are too rare to keep a statement for. */
const MAX_KEPT_ROWS = 8

/** Inserts rows of the same columns; the statement for so many of them is put together once. */
export async function insertRows<Table extends keyof Database & string>(
  db: Kysely<Database>,
  table: Table,
  rows: readonly InsertedRow[],
): Promise<void> {
  const [first] = rows
  if (!first) return
  if (rows.length > MAX_KEPT_ROWS) {
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

/** In this order. */
function hasColumns(row: InsertedRow, columns: readonly string[]): boolean {
  let at = 0
  for (const column in row) {
    if (column !== columns[at]) return false
    at += 1
  }
  return at === columns.length
}
