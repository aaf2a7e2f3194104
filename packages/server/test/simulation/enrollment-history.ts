import type { SharedDatabase } from './shared-database.ts'
import type { Trace } from './trace.ts'

/** One enrollment, which clients may try to redeem with several keys. */
export interface Enrollment {
  readonly name: string
  /** The keys that were sent, and those for which a certificate was received. */
  readonly keys: string[]
  readonly received: string[]
}

/** All enrollments of a simulation. */
export class EnrollmentHistory {
  readonly #enrollments: Enrollment[] = []

  start(name: string): Enrollment {
    const enrollment = { name, keys: [], received: [] }
    this.#enrollments.push(enrollment)
    return enrollment
  }

  /** Each enrollment leads to one certificate at most, and a certificate that a client has received is stored. */
  check(database: SharedDatabase, trace: Trace): void {
    for (const { name, keys, received } of this.#enrollments) {
      const stored = keys.filter((key) => isStored(database, key))
      const counted = `${stored.length} certificates are stored and ${received.length} were received`
      if (stored.length > 1 || received.length > 1) trace.violate(`of ${name}, ${counted}`)
      for (const key of received) if (!stored.includes(key)) trace.violate(`the certificate ${key} of ${name} is lost`)
    }
  }
}

function isStored(database: SharedDatabase, key: string): boolean {
  return database.rows('select 1 from authenticators where fingerprint = ?', key).length > 0
}
