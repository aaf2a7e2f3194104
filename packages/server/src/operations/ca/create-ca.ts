import type { CaCreate } from '@countersign/contract'
import { AppError, type CaCertificateFacts, caFromBody, trustAfterWrite, validateCa } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findCaByFingerprint } from '../../store/reads/ca-reads.ts'
import { insertCa } from '../../store/writes/ca-writes.ts'
import { checkUntrustedQuota } from '../signer/check-untrusted-quota.ts'
import { writerOf } from '../signer/writer-of.ts'

export interface CreateCa {
  readonly id: string
  readonly body: CaCreate
  readonly certificate: CaCertificateFacts
  readonly verificationToken: string
}

/** Registers a third-party CA. It is neither verified nor, unless an administrator registers it, trusted. */
export const createCa = operation({
  name: 'ca.create',
  access: { entity: 'ca', action: 'create' },
  async run(tx, { id, body, certificate, verificationToken }: CreateCa): Promise<void> {
    const settings = caFromBody(body)
    validateCa(settings)
    await checkUntrustedQuota(tx, 'cas')
    const known = await findCaByFingerprint(tx.db, certificate.fingerprint)
    if (known) {
      const reason = `certificate already used as CA ${known.id}`
      throw new AppError('COULD_NOT_VALIDATE', { field: 'certPem', reason, value: '', conflictsWith: known.name })
    }
    const trust = trustAfterWrite(writerOf(tx), tx.now)
    await insertCa(tx, id, { settings, certPem: body.certPem, certificate, verificationToken, trust })
  },
})
