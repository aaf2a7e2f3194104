import { mock } from 'node:test'
import type { CompiledQuery } from 'kysely'
import { findDirectConnection } from '../../src/store/direct-connection.ts'
import type { Store } from '../../src/store/store.ts'

/** Calls `onRead` before every statement that reads from the database. Returns a function that stops it. */
function interceptReads({ db }: Store, onRead: (sql: string) => void): () => void {
  const executor = db.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  const mocks = [
    mock.method(executor, 'executeQuery', async (query: CompiledQuery, ...rest: never[]) => {
      onRead(query.sql)
      return (execute as (...args: unknown[]) => Promise<unknown>)(query, ...rest)
    }),
  ]
  const direct = findDirectConnection(db)
  if (direct) {
    const rowsOf = direct.rowsOf.bind(direct)
    mocks.push(
      mock.method(direct, 'rowsOf', (sql: string, parameters: readonly unknown[]) => {
        onRead(sql)
        return rowsOf(sql, parameters)
      }) as never,
    )
  }
  return () => {
    for (const { mock: each } of mocks) each.restore()
  }
}

/** Makes every read fail until the returned function is called. */
export function failReads(store: Store, error: Error): () => void {
  return interceptReads(store, () => {
    throw error
  })
}

/** Returns a list that records all statements from now on, without their values. */
export function watchReads(store: Store): string[] {
  const statements: string[] = []
  interceptReads(store, (sql) => statements.push(sql))
  return statements
}
