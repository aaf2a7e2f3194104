import type { AuthPolicyPatch } from '@countersign/contract'
import { AppError, echoedValue } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { findKnownSignerIds } from '../../store/reads/signer-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/** The signers that a body names must exist; the first missing one in the body's own order is named. */
export async function checkSigners(
  { db }: Transaction,
  { primary, secondary }: AuthPolicyPatch,
  refuse: (field: string, id: string) => AppError,
): Promise<void> {
  const allowed = primary?.extJwt?.allowedSigners ?? []
  const required = secondary?.requireExtJwtSigner || null
  const wanted = required === null ? allowed : [...allowed, required]
  if (wanted.length === 0) return
  const known = await findKnownSignerIds(db, wanted)
  const unknownAt = allowed.findIndex((id) => !known.has(id))
  if (unknownAt >= 0)
    throw signerFieldNotFound(`primary.extJwt.allowedExtJwtSigners[${unknownAt}]`, allowed[unknownAt] ?? '')
  if (required !== null && !known.has(required)) throw refuse('secondary.requiredExtJwtSigner', required)
}

/** Existing clients know the fields by these names, which differ from the wire's own. */
export function signerFieldNotFound(field: string, value: string): AppError {
  return new AppError('NOT_FOUND', { field, reason: 'not found', value: echoedValue(value) })
}

/** The error that existing clients know for a missing second signer in an update. */
export function signerNotFound(_field: string, id: string): AppError {
  return notFound('externalJwtSigner', id)
}
