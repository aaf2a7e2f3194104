import { AppError, newSecret, secretDigest } from '@countersign/core'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { EnrollmentRow } from '../store/schema.ts'

/** A new one-time token of 256 random bits, as it is stored: to be known when it comes, and to be shown again. */
export function newOneTimeToken(sealing: Sealing, enrollmentId: string) {
  const token = newSecret()
  return { tokenDigest: secretDigest(token), sealedToken: sealing.seal(token, useOf(enrollmentId)) }
}

/** The token of an enrollment once more; undefined on a node that cannot open it, which still takes it when it comes. */
export function openOneTimeToken(
  sealing: Sealing,
  { id, sealed_token: sealed }: Pick<EnrollmentRow, 'id' | 'sealed_token'>,
): string | undefined {
  try {
    return sealing.open(sealed, useOf(id))
  } catch (error) {
    if (error instanceof AppError && error.code === 'SEALING_KEY_MISMATCH') return undefined
    throw error
  }
}

/** A token that was moved to another enrollment in the database does not open there. */
const useOf = (enrollmentId: string): string => `enrollment ${enrollmentId}`
