import { AppError, newSecret, secretDigest } from '@countersign/core'
import type { Sealing } from '../platform/keys/sealing.ts'
import type { EnrollmentRow } from '../store/schema.ts'

/** Creates a one-time token of 256 random bits. The digest recognises it; the sealed form lets administrators display it again. */
export function newOneTimeToken(sealing: Sealing, enrollmentId: string) {
  const token = newSecret()
  return { tokenDigest: secretDigest(token), sealedToken: sealing.seal(token, useOf(enrollmentId)) }
}

/** Opens the sealed token of an enrollment. Undefined on a node with another sealing key, which can still redeem the token by its digest. */
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

/** Binds the sealed token to its enrollment: copied to another row, it does not open. */
const useOf = (enrollmentId: string): string => `enrollment ${enrollmentId}`
