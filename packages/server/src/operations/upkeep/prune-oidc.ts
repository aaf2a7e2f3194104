import { operation } from '../../store/operation.ts'
import { deleteExpiredLogins, deleteSurplusLogins } from '../../store/writes/oidc-login-writes.ts'
import { deleteExpiredSpentTokens } from '../../store/writes/oidc-session-writes.ts'
import { deleteExpiredRevocations } from '../../store/writes/revocation-writes.ts'

const BATCH = 500
/** Logins that anonymous clients have begun and no identity has continued. The oldest beyond this number are abandoned. */
const MAX_BEGUN_LOGINS = 100_000

export interface PruneOidc {
  readonly maxBegunLogins?: number
}

/** Deletes logins, records of refresh tokens and revocations that have expired, and surplus logins. Returns whether there may be more. */
export const pruneOidc = operation({
  name: 'oidc.prune',
  access: 'none',
  needsWriteLock: false,
  async run(tx, { maxBegunLogins = MAX_BEGUN_LOGINS }: PruneOidc): Promise<boolean> {
    const deleted = [
      await deleteExpiredLogins(tx, BATCH),
      await deleteSurplusLogins(tx, { kept: maxBegunLogins, limit: BATCH }),
      await deleteExpiredSpentTokens(tx, BATCH),
      await deleteExpiredRevocations(tx, BATCH),
    ]
    return deleted.includes(BATCH)
  },
})
