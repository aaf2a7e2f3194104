import {
  AppError,
  checkEnrollRules,
  fieldError,
  requirePassedTestCases,
  type SignerSettings,
  validateSigner,
} from '@countersign/core'
import { isSecondFactor } from '../../store/reads/reference-reads.ts'
import { findEnrollPolicy } from '../../store/reads/signer-reads.ts'
import { type SignerKeyFacts, signerColumns } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import { findDuplicate } from '../../store/writes/signer-duplicates.ts'

/** Checks everything but uniqueness. When several rules are broken, reports the error that existing clients expect. */
export async function checkSigner(
  tx: Transaction,
  id: string,
  signer: SignerSettings,
  keyFacts: SignerKeyFacts,
): Promise<void> {
  try {
    validateSigner(signer)
    checkEnrollRules(signer, await findEnrollPolicy(tx.db, signer))
    if (signer.oneUse && (await isSecondFactor(tx.db, id)))
      throw fieldError('oneUse', 'a policy requires a token of this signer with every call, as second factor', true)
    requirePassedTestCases({ ...signer, id }, tx.now)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const duplicate = await findDuplicate(tx, { id, settings: signer, columns: signerColumns(signer, keyFacts) })
    const comesFirst = duplicate && (isFieldError('name', duplicate) || error.code === 'NOT_FOUND')
    throw comesFirst ? duplicate : error
  }
}

function isFieldError(field: string, { publicCause }: AppError): boolean {
  return publicCause !== undefined && 'field' in publicCause && publicCause.field === field
}
