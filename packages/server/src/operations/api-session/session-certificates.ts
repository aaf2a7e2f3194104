import { AppError } from '@countersign/core'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { isKeyOfOtherIdentity } from '../../store/reads/authenticator-reads.ts'
import { findSessionOwner } from '../../store/reads/session-reads.ts'
import {
  deleteSessionCertificate as deleteRow,
  insertSessionCertificate,
  keepNewestSessionCertificates,
  type NewSessionCertificate,
} from '../../store/writes/session-certificate-writes.ts'

export interface CreateSessionCertificate extends NewSessionCertificate {
  readonly publicKeyDigest: string
}

/** More than a client needs during a session. */
const MAX_PER_SESSION = 10

/**
 * Records a certificate of the actor's session, and deletes the oldest beyond 10. Fails with UNAUTHORIZED when the session has ended, and with
 * CERT_IN_USE when another identity logs in with its key.
 */
export const createSessionCertificate = operation({
  name: 'sessionCertificate.create',
  access: 'self',
  async run(tx, { publicKeyDigest, ...certificate }: CreateSessionCertificate): Promise<void> {
    const { apiSessionId } = certificate
    if (!(await isOwnSession(tx, apiSessionId))) throw new AppError('UNAUTHORIZED')
    if (await isKeyOfOtherIdentity(tx.db, publicKeyDigest, tx.actor.id)) throw new AppError('CERT_IN_USE')
    await keepNewestSessionCertificates(tx, apiSessionId, MAX_PER_SESSION - 1)
    await insertSessionCertificate(tx, certificate)
  },
})

/** Returns whether a session of the actor had such a certificate. */
export const deleteSessionCertificate = operation({
  name: 'sessionCertificate.delete',
  access: 'self',
  async run(tx, which: { readonly id: string; readonly apiSessionId: string }): Promise<boolean> {
    return (await isOwnSession(tx, which.apiSessionId)) && (await deleteRow(tx, which))
  },
})

async function isOwnSession({ db, actor }: AuthorizedTransaction, id: string): Promise<boolean> {
  const session = await findSessionOwner(db, id)
  return session?.identity_id === actor.id
}
