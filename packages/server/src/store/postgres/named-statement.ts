import pg from 'pg'
import type { StatementResult } from './postgres-dialect.ts'

/** The parts of the driver's connection that a statement uses. */
interface DriverConnection {
  readonly stream: { cork(): void; uncork(): void }
  /** By name, once the server knows it, or will know it before what is sent next. */
  readonly parsedStatements: Readonly<Record<string, string>>
  readonly submittedNamedStatements: Record<string, string>
  parse(statement: { readonly name: string; readonly text: string }): void
  bind(portal: { readonly statement: string; readonly values: readonly (string | null)[] }): void
  describe(portal: { readonly type: 'P' }): void
  execute(portal: Readonly<Record<string, never>>): void
  sync(): void
}

interface Column {
  readonly name: string
  readonly dataTypeID: number
  readonly format: 'text' | 'binary'
}

/** What the rows of a statement are made of. */
interface Shape {
  readonly names: readonly string[]
  readonly parsers: readonly ((text: string) => unknown)[]
}

type Row = Record<string, unknown>

interface Statement {
  /** The same for the same text. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  resolve(result: StatementResult): void
  reject(error: unknown): void
}

/** By connection and name of the statement. A statement whose result would change fails, so that a shape never does. */
const shapes = new WeakMap<DriverConnection, Map<string, Shape>>()
const NO_ROWS: Shape = { names: [], parsers: [] }
const corked = new WeakSet<DriverConnection>()

/**
 * A prepared statement for the driver. The driver's own asks the server for the columns with every execution; this one asks once for each connection. What is
 * sent in one turn of the event loop is written at once. A short read costs a third to a half less CPU time, which every row of the bench on PostgreSQL needs.
 */
export class NamedStatement extends pg.Query {
  readonly name: string
  readonly #rows: Row[] = []
  readonly #values: readonly (string | null)[]
  #known: Map<string, Shape> | undefined
  #shape: Shape | undefined
  #command = ''
  declare readonly text: string
  /** The driver calls it when there is no reply in time, and replaces it. */
  declare callback: (error: Error | null, result?: StatementResult) => void

  constructor({ name, text, values, resolve, reject }: Statement) {
    super(text)
    this.name = name
    this.#values = values.map(toWire)
    this.callback = (error, result) => (result ? resolve(result) : reject(error))
  }

  prepare(connection: DriverConnection): void {
    corkForThisTurn(connection)
    this.#known = knownShapes(connection)
    this.#shape = this.#known.get(this.name)
    const { parsedStatements, submittedNamedStatements } = connection
    if (!(this.name in parsedStatements || this.name in submittedNamedStatements)) {
      connection.parse({ name: this.name, text: this.text })
      submittedNamedStatements[this.name] = this.text
    }
    connection.bind({ statement: this.name, values: this.#values })
    if (!this.#shape) connection.describe({ type: 'P' })
    connection.execute({})
    connection.sync()
  }

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.#shape = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID, format }) => pg.types.getTypeParser(dataTypeID, format)),
    }
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers } = this.#shape ?? NO_ROWS
    const row: Row = {}
    for (let at = 0; at < fields.length; at++) {
      const text = fields[at] as string | null
      row[names[at] as string] = text === null ? null : parsers[at]?.(text)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#command = text
  }

  handleReadyForQuery(): void {
    this.#known?.set(this.name, this.#shape ?? NO_ROWS)
    // Such as `INSERT 0 1`, where the last number counts rows, or `COMMIT`.
    const [command = '', ...numbers] = this.#command.split(' ')
    const count = numbers.at(-1)
    this.callback(null, { command, rowCount: count === undefined ? null : Number(count), rows: this.#rows })
  }
}

function knownShapes(connection: DriverConnection): Map<string, Shape> {
  const known = shapes.get(connection) ?? new Map<string, Shape>()
  shapes.set(connection, known)
  return known
}

/** Each message would otherwise be a system call of its own. */
function corkForThisTurn(connection: DriverConnection): void {
  if (corked.has(connection)) return
  corked.add(connection)
  connection.stream.cork()
  process.nextTick(() => {
    corked.delete(connection)
    connection.stream.uncork()
  })
}

/** The values of statements are texts, numbers, booleans and null. */
function toWire(value: unknown): string | null {
  if (typeof value === 'string' || value === null) return value
  if (value === undefined) return null
  if (typeof value === 'object') throw new TypeError('a parameter of a prepared statement is an object')
  return String(value)
}
