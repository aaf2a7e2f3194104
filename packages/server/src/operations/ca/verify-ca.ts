import { AppError, checkCaProof } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { getCa } from '../../store/reads/ca-reads.ts'
import { setCaVerified } from '../../store/writes/ca-writes.ts'

export interface VerifyCa {
  readonly id: string
  /** The certificate with the verification token as common name. */
  readonly proofPem: string
}

/** Accepts the proof that the private key of a CA is at hand. It proves nothing about the members of the CA: trust stays as it is. */
export const verifyCa = operation({
  name: 'ca.verify',
  access: { entity: 'ca', action: 'update' },
  target: 'cas',
  async run(tx, { id, proofPem }: VerifyCa): Promise<void> {
    const ca = await getCa(tx.db, id)
    if (ca.isVerified) throw new AppError('CA_ALREADY_VERIFIED')
    checkCaProof(ca, proofPem, tx.now)
    await setCaVerified(tx, id)
  },
})
