import {
  AppError,
  findCounter,
  identityFromBody,
  isRoleAttribute,
  MAX_COUNTER,
  withCounter,
  withIdentityId,
} from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { isCertificateInUse } from '../../store/reads/authenticator-reads.ts'
import { findCa } from '../../store/reads/ca-reads.ts'
import { findLoss } from '../../store/reads/identity-access-reads.ts'
import { findEnrolledIdentity, isIdentityName, listNamesBetween } from '../../store/reads/identity-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import {
  insertCertificateAuthenticator,
  type NewCertificateAuthenticator,
} from '../../store/writes/authenticator-writes.ts'
import { addIdentity } from '../identity/create-identity.ts'

export interface CaEnrollmentArgs {
  readonly caId: string
  /** The revision of the CA that the certificate was checked with. */
  readonly revision: number
  readonly identityId: string
  /** A counter is appended when another identity has it. */
  readonly name: string
  /** The text that the CA's claim selects; null when it has none. */
  readonly externalId: string | null
  readonly authenticator: Omit<NewCertificateAuthenticator, 'identityId'>
}

/**
 * Creates the identity of a verified certificate of a third-party CA. With a claim it is named by its external id, otherwise by the recorded
 * certificate. Reads the CA again, which may have changed since. Fails with CERT_IN_USE when the certificate has an identity.
 */
export const enrollByCa = operation({
  name: 'enrollment.byCa',
  access: 'none',
  async run(tx, { caId, revision, identityId, name, externalId, authenticator }: CaEnrollmentArgs): Promise<void> {
    const ca = await findCa(tx.db, caId)
    if (!ca?.isVerified || !ca.isAutoCaEnrollmentEnabled || ca.revision !== revision) {
      throw new AppError('CERT_FAILED_VALIDATION')
    }
    if (await isCertificateInUse(tx.db, authenticator)) throw new AppError('CERT_IN_USE')
    if (externalId !== null) await checkExternalId(tx, externalId)
    const settings = identityFromBody({
      name: await findFreeName(tx, name, identityId),
      type: 'Default',
      isAdmin: false,
      attributes: ca.identityRoles.filter(isRoleAttribute),
      ...(externalId !== null && { externalId }),
    })
    await addIdentity(tx, identityId, settings)
    if (externalId === null) await insertCertificateAuthenticator(tx, { ...authenticator, identityId })
  },
})

/** As long as signers refuse to provision by default. */
const LOST_FOR_MS = 86_400_000

/** Fails also when an identity lost the external id recently: an administrator has taken it away from the holders of such certificates. */
async function checkExternalId({ db, now }: Transaction, externalId: string): Promise<void> {
  const inUse = (reason: string) => new AppError('CERT_IN_USE', { field: 'externalId', reason, value: '' })
  if (await findEnrolledIdentity(db, { useExternalId: true, externalId })) {
    throw inUse('an identity has the external id of the certificate')
  }
  const lostAt = await findLoss(db, externalId)
  if (lostAt !== undefined && now < lostAt + LOST_FOR_MS) {
    throw inUse('an identity had the external id of the certificate until recently')
  }
}

/** The name, or with the number after the largest one in use. With the id when there is none, also because others have chosen such names. */
async function findFreeName({ db }: Transaction, name: string, identityId: string): Promise<string> {
  if (!(await isIdentityName(db, name))) return name
  const taken = await listNamesBetween(db, withCounter(name, 0), withCounter(name, MAX_COUNTER))
  const next = Math.max(0, ...taken.flatMap((one) => findCounter(name, one) ?? [])) + 1
  const numbered = withCounter(name, next)
  const isFree = next <= MAX_COUNTER && !(await isIdentityName(db, numbered))
  return isFree ? numbered : withIdentityId(name, identityId)
}
