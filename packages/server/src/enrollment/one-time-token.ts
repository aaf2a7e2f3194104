import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '@countersign/core'
import type { Sealing } from '../keys/sealing.ts'
import type { EnrollmentRow } from '../store/schema.ts'

const TOKEN_BYTES = 32

/** A new one-time token of 256 random bits, as it is stored: to be known when it comes, and to be shown again. */
export function newOneTimeToken(sealing: Sealing, enrollmentId: string) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return { tokenDigest: oneTimeTokenDigest(token), sealedToken: sealing.seal(token, useOf(enrollmentId)) }
}

/** What is looked up in place of the token: a thief of the database can present none of these. */
export function oneTimeTokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
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
