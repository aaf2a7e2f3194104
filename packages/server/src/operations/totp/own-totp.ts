import { AppError } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import type { AuthorizedTransaction } from '../../store/operation.ts'
import { findVerifiedTotpId } from '../../store/reads/totp-reads.ts'
import { type CodeGuess, type CodeResult, spendCode } from './spend-code.ts'

/** A code that the actor has entered. */
export interface SubmittedCode {
  /** The actor's id. */
  readonly id: string
  readonly guess: CodeGuess
}

/** The id of the actor's verified TOTP enrollment, null when it has none. Fails with UNAUTHORIZED when `id` is not the actor. */
export async function getOwnVerifiedTotpId({ db, actor }: AuthorizedTransaction, id: string): Promise<string | null> {
  if (id !== actor.id) throw new AppError('UNAUTHORIZED')
  const totpId = await findVerifiedTotpId(db, id)
  if (totpId === undefined) throw notFound('identity', id)
  return totpId
}

/** Spends a code of the actor's verified TOTP enrollment. Fails with MFA_NOT_ENROLLED when it has none. */
export async function spendOwnCode(tx: AuthorizedTransaction, { id, guess }: SubmittedCode): Promise<CodeResult> {
  if ((await getOwnVerifiedTotpId(tx, id)) === null) throw new AppError('MFA_NOT_ENROLLED')
  return spendCode(tx, id, guess)
}
