import { AsyncLocalStorage } from 'node:async_hooks'
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

/** Runs work and returns its result with every statement that it read with, without their values. What the controller reads meanwhile on its own is not among them. */
export async function watchReads<Result>(
  store: Store,
  work: () => Promise<Result>,
): Promise<{ result: Result; statements: string[] }> {
  const statements: string[] = []
  const inWork = new AsyncLocalStorage<true>()
  const restore = interceptReads(store, (sql) => {
    if (inWork.getStore()) statements.push(sql)
  })
  try {
    return { result: await inWork.run(true, work), statements }
  } finally {
    restore()
  }
}
