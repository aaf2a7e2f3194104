import { AppError } from '@countersign/core'
import { isKeyOfOtherIdentity } from '../../store/reads/authenticator-reads.ts'
import { findSessionAuthenticator } from '../../store/reads/session-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { recordIssuedCertificate } from '../../store/writes/issued-certificate-writes.ts'
import {
  insertSessionCertificate,
  keepNewestSessionCertificates,
  type NewSessionCertificate,
} from '../../store/writes/session-certificate-writes.ts'

/** A certificate that was issued for a session and is not stored yet. */
export interface IssuedForSession extends NewSessionCertificate {
  readonly publicKeyDigest: string
}

/** More than a client needs during a session. */
const MAX_PER_SESSION = 10

/** Stores a certificate of a session, and deletes the oldest beyond 10. Fails with CERT_IN_USE when another identity logs in with its key. */
export async function insertCertificateOf(
  tx: Transaction,
  identityId: string,
  { publicKeyDigest, ...certificate }: IssuedForSession,
): Promise<void> {
  if (await isKeyOfOtherIdentity(tx.db, publicKeyDigest, identityId)) throw new AppError('CERT_IN_USE')
  await keepNewestSessionCertificates(tx, certificate.apiSessionId, MAX_PER_SESSION - 1)
  await insertSessionCertificate(tx, certificate)
  const authenticatorId = await findSessionAuthenticator(tx.db, certificate.apiSessionId)
  await recordIssuedCertificate(tx, { ...certificate, identityId, authenticatorId, isOfSession: true })
}
