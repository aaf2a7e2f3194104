import { buildVerifySigner, type VerifySigner } from '@countersign/core'
import type { StoredSigner } from '../store/signer-row.ts'

const prepared = new WeakMap<StoredSigner, VerifySigner<string>>()

/**
 * The form of a stored signer for verification, built once for each object: checking its rules takes milliseconds. Throws a `TypeError` for a signer that
 * cannot be used.
 */
export function preparedSigner(stored: StoredSigner): VerifySigner<string> {
  const known = prepared.get(stored)
  if (known) return known
  const signer = buildVerifySigner(stored)
  prepared.set(stored, signer)
  return signer
}
