import { createLruCache, type SignerKeys } from '@countersign/core'

interface Absence {
  readonly keys: SignerKeys
  readonly untilMs: number
}

/** An absent kid causes no fetch for this time, or until the key set changes. */
const REMEMBERED_MS = 10_000
const MAX_REMEMBERED = 1_000

/** The kids that a fetched key set did not have. */
export class AbsentKids {
  readonly #absences = createLruCache<string, Absence>(MAX_REMEMBERED)

  note(kid: string, keys: SignerKeys, nowMs: number): void {
    this.#absences.set(kid, { keys, untilMs: nowMs + REMEMBERED_MS })
  }

  has(kid: string, keys: SignerKeys, nowMs: number): boolean {
    const absence = this.#absences.get(kid)
    return absence !== undefined && absence.keys === keys && nowMs < absence.untilMs
  }
}
