import type { EnrollmentMethod } from '@countersign/contract'
import { AppError, isTrustedFor } from '@countersign/core'
import type { StoredCa } from '../../store/ca-row.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { operation } from '../../store/operation.ts'
import { isCertificateInUse } from '../../store/reads/authenticator-reads.ts'
import { findCa } from '../../store/reads/ca-reads.ts'
import { getRedeemable, type RedeemableEnrollment } from '../../store/reads/enrollment-reads.ts'
import { findEnrolledIdentity } from '../../store/reads/identity-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import {
  insertCertificateAuthenticator,
  insertPasswordAuthenticator,
  type NewCertificateAuthenticator,
} from '../../store/writes/authenticator-writes.ts'
import { deleteEnrollment } from '../../store/writes/enrollment-writes.ts'
import { updateIdentity } from '../../store/writes/identity-writes.ts'
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

export interface RedeemForeignCertificate extends RedeemCertificate {
  /** The revision of the CA that the certificate was checked with. */
  readonly revision: number
  /** The text that the CA's claim selects; null when it has none. */
  readonly externalId: string | null
}

/**
 * Exchanges a one-time token for a login with a verified certificate of its third-party CA. The CA is read again. With a claim the identity gets
 * the external id of the certificate, without which the certificate would log in no identity.
 */
export const redeemForeignCertificate = operation({
  name: 'enrollment.redeemForeignCertificate',
  access: 'none',
  async run(tx, args: RedeemForeignCertificate): Promise<void> {
    const { tokenDigest, authenticator, revision, externalId } = args
    const { row, identity } = await consumeEnrollment(tx, tokenDigest, 'ottca')
    if (identity.id !== authenticator.identityId) throw new AppError('INVALID_ENROLLMENT_TOKEN')
    const ca = await findCa(tx.db, row.ca_id ?? '')
    const isAllowed = ca?.isVerified && ca.isOttCaEnrollmentEnabled && isTrustedFor(ca.trust, identity)
    if (!isAllowed || ca.revision !== revision) throw new AppError('ENROLLMENT_CA_NOT_VALID')
    const { fingerprint } = authenticator
    if (await isCertificateInUse(tx.db, authenticator)) {
      const message = 'an authenticator has the certificate, or its key'
      throw new AppError('CERT_IN_USE', { message, data: { fingerprint } })
    }
    if (externalId !== null) await nameByExternalId(tx, identity, externalId, ca)
    await insertCertificateAuthenticator(tx, authenticator)
  },
})

/** The identity keeps its external id when it gets rights, with which any trusted signer or CA then logs it in. */
async function nameByExternalId(
  tx: Transaction,
  identity: StoredIdentity,
  externalId: string,
  { trust }: Pick<StoredCa, 'trust'>,
): Promise<void> {
  if (identity.externalId === externalId) return
  if (identity.externalId !== null) {
    const message = 'the claim of the CA selects another external id than that of the identity'
    throw new AppError('CERTIFICATE_FAILED_VALIDATION', { message })
  }
  if (!trust.isTrusted) {
    const message =
      'the CA is not trusted, so it gives the identity no external id: an administrator sets it, or trusts the CA'
    throw new AppError('CERTIFICATE_FAILED_VALIDATION', { message })
  }
  if (await findEnrolledIdentity(tx.db, { useExternalId: true, externalId })) throw new AppError('CERT_IN_USE')
  await updateIdentity(tx, identity, { ...identity, externalId })
}

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
