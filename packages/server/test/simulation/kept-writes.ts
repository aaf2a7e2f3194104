import type { SharedDatabase } from './shared-database.ts'
import type { Trace } from './trace.ts'

/** A row that an acknowledged write has created or deleted. */
interface KeptRow {
  readonly write: string
  readonly table: 'identities' | 'api_sessions' | 'authenticators'
  readonly id: string
  readonly isPresent: boolean
  /** Whether another write, acknowledged or not, may have changed that since. */
  isExcused?(): boolean
}

/** A change of the same row as other changes: the last one wins. */
interface Version {
  readonly startedAt: number
  acknowledgedAt?: number
}

/** What the acknowledged writes of a simulation must have left in the database. */
export class KeptWrites {
  readonly #rows: KeptRow[] = []
  readonly #versions = new Map<string, Version[]>()

  expect(row: KeptRow): void {
    this.#rows.push(row)
  }

  /** Starts the next version of a policy. Returns its number, and a function to call when it is acknowledged. */
  startVersion(policyId: string, now: () => number): { number: number; acknowledge(): void } {
    const version: Version = { startedAt: now() }
    const versions = this.#versions.get(policyId) ?? []
    this.#versions.set(policyId, [...versions, version])
    return {
      number: versions.length,
      acknowledge: () => {
        version.acknowledgedAt = now()
      },
    }
  }

  check(database: SharedDatabase, trace: Trace): void {
    for (const { write, table, id, isPresent, isExcused } of this.#rows) {
      const isFound = database.rows(`select 1 from ${table} where id = ?`, id).length > 0
      if (isFound !== isPresent && !isExcused?.()) trace.violate(`acknowledged, but lost: ${write}`)
    }
    for (const [policyId, versions] of this.#versions) {
      const [row] = database.rows<{ tags: string }>('select tags from auth_policies where id = ?', policyId)
      const stored = JSON.parse(row?.tags ?? '{}').version as number | undefined
      const endedAt = stored === undefined ? -1 : versions[stored]?.acknowledgedAt
      // A write without an answer may have been committed at any time.
      if (endedAt === undefined) continue
      const isLost = versions.some(({ startedAt, acknowledgedAt }) => acknowledgedAt && startedAt > endedAt)
      if (isLost) trace.violate(`acknowledged, but lost: a change of the policy ${policyId} after version ${stored}`)
    }
  }
}
