import type { AuthPolicyPatch } from '@countersign/contract'
import { AppError, echoedValue, fieldError } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { findKnownSigners } from '../../store/reads/signer-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/**
 * Fails when a signer that the body names does not exist; the error names the first one in the order of the body. Fails also when each token of the second signer is
 * accepted once: every call needs one.
 */
export async function checkSigners(
  { db }: Transaction,
  { primary, secondary }: AuthPolicyPatch,
  refuse: (field: string, id: string) => AppError,
): Promise<void> {
  const allowed = primary?.extJwt?.allowedSigners ?? []
  const required = secondary?.requireExtJwtSigner || null
  const ids = required === null ? allowed : [...allowed, required]
  if (ids.length === 0) return
  const known = await findKnownSigners(db, ids)
  const unknownAt = allowed.findIndex((id) => !known.has(id))
  if (unknownAt >= 0)
    throw signerFieldNotFound(`primary.extJwt.allowedExtJwtSigners[${unknownAt}]`, allowed[unknownAt] ?? '')
  if (required !== null && !known.has(required)) throw refuse('secondary.requiredExtJwtSigner', required)
  if (required !== null && known.get(required)?.oneUse)
    throw fieldError('secondary.requireExtJwtSigner', 'a signer with oneUse cannot be a second factor', required)
}

/** Existing clients expect these field names in errors, which differ from those of the body. */
export function signerFieldNotFound(field: string, value: string): AppError {
  return new AppError('NOT_FOUND', { field, reason: 'not found', value: echoedValue(value) })
}

/** The error that existing clients expect when an update names a missing second signer. */
export function signerNotFound(_field: string, id: string): AppError {
  return notFound('externalJwtSigner', id)
}
