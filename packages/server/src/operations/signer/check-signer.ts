import { AppError, checkEnrollRules, type SignerSettings, validateSigner } from '@countersign/core'
import { findEnrollPolicy } from '../../store/reads/signer-reads.ts'
import { type SignerCertificateFacts, signerColumns } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import { findDuplicate } from '../../store/writes/signer-duplicates.ts'

/** Checks everything but uniqueness. When several rules are broken, reports the error that existing clients expect. */
export async function checkSigner(
  tx: Transaction,
  id: string,
  signer: SignerSettings,
  certificate: SignerCertificateFacts | null,
): Promise<void> {
  try {
    validateSigner(signer)
    checkEnrollRules(signer, await findEnrollPolicy(tx.db, signer))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const duplicate = await findDuplicate(tx, { id, settings: signer, columns: signerColumns(signer, certificate) })
    const comesFirst = duplicate && (isFieldError('name', duplicate) || error.code === 'NOT_FOUND')
    throw comesFirst ? duplicate : error
  }
}

function isFieldError(field: string, { publicCause }: AppError): boolean {
  return publicCause !== undefined && 'field' in publicCause && publicCause.field === field
}
