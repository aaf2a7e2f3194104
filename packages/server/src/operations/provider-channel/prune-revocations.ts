import { operation } from '../../store/operation.ts'
import {
  countRevocations,
  deleteOldEventTokens,
  findOldRevocation,
  mergeRevocations,
} from '../../store/writes/token-revocation-writes.ts'

const BATCH = 500
const DAY_MS = 86_400_000

export interface RevocationLimits {
  readonly maxPerSigner: number
  /** How long a revocation is kept whose tokens never expire, as far as the signer says. */
  readonly maxAgeMs: number
}

export const REVOCATION_LIMITS: RevocationLimits = { maxPerSigner: 100_000, maxAgeMs: 400 * DAY_MS }

/**
 * Deletes the ids of used tokens that are too old. Revocations whose tokens have all expired, old ones where the signer does not limit the life of
 * its tokens, and those beyond the limit become one that refuses all tokens of that age: the signer may come to accept older tokens again. Returns
 * whether there may be more.
 */
export const pruneRevocations = operation({
  name: 'revocation.prune',
  access: 'none',
  async run(tx, { maxPerSigner, maxAgeMs }: RevocationLimits): Promise<boolean> {
    const deleted = await deleteOldEventTokens(tx, BATCH)
    for (const { signerId, count, oldest, maxTokenAgeSeconds, clockSkewSeconds } of await countRevocations(tx.db)) {
      const keptMs = maxTokenAgeSeconds === null ? maxAgeMs : (maxTokenAgeSeconds + clockSkewSeconds) * 1000
      if (oldest <= tx.now - keptMs) await mergeRevocations(tx, signerId, tx.now - keptMs)
      const surplus = count - maxPerSigner
      const until = surplus > 0 ? await findOldRevocation(tx.db, signerId, surplus + 1) : undefined
      if (until !== undefined) await mergeRevocations(tx, signerId, until)
    }
    return deleted === BATCH
  },
})
