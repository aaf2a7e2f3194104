import type { StoreDialect } from './transaction.ts'

/** The table or view that indexes sessions by identity. */
export const OWNERS = { sqlite: 'filed_sessions', postgres: 'session_owners' } as const

export function forEachDialect<Result>(
  build: (owners: (typeof OWNERS)[StoreDialect]) => Result,
): Record<StoreDialect, Result> {
  return { sqlite: build(OWNERS.sqlite), postgres: build(OWNERS.postgres) }
}
