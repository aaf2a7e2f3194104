import { AppError } from '@countersign/core'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { findSessionOwner } from '../../store/reads/session-reads.ts'
import { deleteSessionCertificate as deleteRow } from '../../store/writes/session-certificate-writes.ts'
import { type IssuedForSession, insertCertificateOf } from './issued-certificate.ts'

/**
 * Records a certificate of the actor's session, and deletes the oldest beyond 10. Fails with UNAUTHORIZED when the session has ended, and with
 * CERT_IN_USE when another identity logs in with its key.
 */
export const createSessionCertificate = operation({
  name: 'sessionCertificate.create',
  access: 'self',
  async run(tx, certificate: IssuedForSession): Promise<void> {
    if (!(await isOwnSession(tx, certificate.apiSessionId))) throw new AppError('UNAUTHORIZED')
    await insertCertificateOf(tx, tx.actor.id, certificate)
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
