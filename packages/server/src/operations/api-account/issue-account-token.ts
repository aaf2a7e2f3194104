import { AppError, accountIdOf } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findAccountEnd } from '../../store/reads/active-account-reads.ts'
import { insertAccountToken } from '../../store/writes/account-token-writes.ts'

/** The longest life of an access token of this controller. */
export const MAX_TOKEN_SECONDS = 3600
const MS_PER_SECOND = 1000

/**
 * Stores an access token of the actor, a federated account. Returns its life in seconds, which ends with the access of the account. A token that was
 * issued before gets no further one: a leaked one could be renewed for ever.
 */
export const issueAccountToken = operation({
  name: 'apiAccount.issueToken',
  access: { hosted: 'read' },
  async run(tx, { digest }: { readonly digest: string }): Promise<number> {
    const { db, now, actor, credential } = tx
    const isOfProvider = credential && 'accountRevision' in credential && credential.tokenDigest === undefined
    const accountId = accountIdOf(actor.id)
    const end = await findAccountEnd(db, accountId)
    if (!isOfProvider || end === undefined) throw new AppError('UNAUTHORIZED')
    const seconds = Math.min(MAX_TOKEN_SECONDS, Math.floor((end - now) / MS_PER_SECOND))
    // A client that gets a life of 0 seconds may take it for an unknown one.
    if (seconds < 1) throw new AppError('UNAUTHORIZED')
    const { accountRevision, providerRevision } = credential
    const expiresAt = now + seconds * MS_PER_SECOND
    await insertAccountToken(tx, { digest, accountId, accountRevision, providerRevision, expiresAt })
    return seconds
  },
})
