import { operation } from '../../store/operation.ts'
import { takeKeyFetch } from '../../store/writes/key-fetch-writes.ts'

export interface ReserveKeyFetch {
  readonly endpoint: string
  readonly burst: number
  readonly refillMs: number
}

/** Takes a fetch from the budget of a key endpoint, which all nodes share. Returns whether there was one. */
export const reserveKeyFetch = operation({
  name: 'signerKeys.reserveFetch',
  access: 'none',
  isRecorded: false,
  needsWriteLock: false,
  async run(tx, budget: ReserveKeyFetch): Promise<boolean> {
    return takeKeyFetch(tx, budget)
  },
})
