import { mock } from 'node:test'
import type { CompiledQuery } from 'kysely'
import { findDirectConnection } from '../../src/store/direct-connection.ts'
import type { Store } from '../../src/store/store.ts'

/** Every way by which a statement reaches the database for reading. */
function doorsOf({ db }: Store): { executeQuery(query: CompiledQuery): Promise<unknown> }[] {
  const direct = findDirectConnection(db)
  return [db.getExecutor(), ...(direct ? [direct] : [])] as never[]
}

/** Lets every read fail until the returned function is called. */
export function failReads(store: Store, error: Error): () => void {
  const mocks = doorsOf(store).map((door) => mock.method(door, 'executeQuery', () => Promise.reject(error)))
  return () => {
    for (const { mock: each } of mocks) each.restore()
  }
}

/** The statements that are run from now on, without their values. */
export function watchReads(store: Store): string[] {
  const statements: string[] = []
  for (const door of doorsOf(store)) {
    const run = door.executeQuery.bind(door)
    mock.method(door, 'executeQuery', (query: CompiledQuery, ...rest: never[]) => {
      statements.push(query.sql)
      return (run as (...args: unknown[]) => Promise<unknown>)(query, ...rest)
    })
  }
  return statements
}
