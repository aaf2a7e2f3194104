import { PURPOSE_TIMES, secretDigest, type VerifiedToken } from '@countersign/core'
import type { EventSource } from '../../operations/provider-channel/find-event-signer.ts'
import type { DirectorySigner } from '../../token/signer-directory.ts'
import type { EventPurpose } from '../../token/token-verifier.ts'

/** What an operation needs to know of a verified logout token or security event token. */
export function eventSource(
  { id, stored, verify }: DirectorySigner,
  { claims }: VerifiedToken,
  purpose: EventPurpose,
): EventSource {
  const { iat, exp, jti } = claims as { iat: number; exp?: number; jti: string }
  const { maxAgeSeconds } = PURPOSE_TIMES[purpose]
  const end = Math.min(exp ?? Number.POSITIVE_INFINITY, iat + maxAgeSeconds)
  return {
    signerId: id,
    signerRevision: stored.revision,
    issuedAt: Math.floor(iat * 1000),
    idDigest: secretDigest(jti),
    expiresAt: Math.ceil((end + verify.clockSkewSeconds) * 1000),
  }
}
