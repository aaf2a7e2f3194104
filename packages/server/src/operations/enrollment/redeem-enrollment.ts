import type { EnrollmentMethod } from '@countersign/contract'
import { AppError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { getRedeemable, type RedeemableEnrollment } from '../../store/reads/enrollment-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import {
  insertCertificateAuthenticator,
  insertPasswordAuthenticator,
  type NewCertificateAuthenticator,
} from '../../store/writes/authenticator-writes.ts'
import { deleteEnrollment } from '../../store/writes/enrollment-writes.ts'
import { checkNoAuthenticator } from '../authenticator/check-no-authenticator.ts'

export interface RedeemPassword {
  readonly tokenDigest: string
  readonly authenticatorId: string
  readonly passwordDigest: string
}

/** Exchanges a one-time token for a password login. The token is the credential, and works once. */
export const redeemPassword = operation({
  name: 'enrollment.redeemPassword',
  access: 'none',
  async run(tx, { tokenDigest, authenticatorId: id, passwordDigest }: RedeemPassword): Promise<void> {
    const { row, identity } = await consumeEnrollment(tx, tokenDigest, 'updb')
    await checkNoAuthenticator(tx, 'updb', identity.id)
    const username = row.username ?? ''
    await insertPasswordAuthenticator(tx, { id, identityId: identity.id, username, passwordDigest })
  },
})

export interface RedeemCertificate {
  readonly tokenDigest: string
  readonly authenticator: NewCertificateAuthenticator
}

/**
 * Exchanges a one-time token for a certificate, which must have been issued for the token's own identity. The token is the credential, and
 * works once.
 */
export const redeemCertificate = operation({
  name: 'enrollment.redeemCertificate',
  access: 'none',
  async run(tx, { tokenDigest, authenticator }: RedeemCertificate): Promise<void> {
    const { identity } = await consumeEnrollment(tx, tokenDigest, 'ott')
    if (identity.id !== authenticator.identityId) throw new AppError('INVALID_ENROLLMENT_TOKEN')
    await insertCertificateAuthenticator(tx, authenticator)
  },
})

/** Returns the enrollment of a token and deletes it, so that a second request with the same token fails. */
async function consumeEnrollment(
  tx: Transaction,
  tokenDigest: string,
  method: EnrollmentMethod,
): Promise<RedeemableEnrollment> {
  const found = await getRedeemable(tx.db, { tokenDigest, method, now: tx.now })
  await deleteEnrollment(tx, found.row.id)
  return found
}
