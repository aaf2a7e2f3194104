import { findSigner } from '../../store/reads/signer-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'

/** A verified logout token or security event token. */
export interface EventSource {
  readonly signerId: string
  /** The revision of the signer that verified it. */
  readonly signerRevision: number
  /** `iat` in milliseconds since 1970. */
  readonly issuedAt: number
  /** SHA-256 of its `jti`. */
  readonly idDigest: string
  /** From then on it is refused for its age. */
  readonly expiresAt: number
}

/** The signer, when it is still the one that verified the token, enabled and trusted. */
export async function findEventSigner(
  { db }: Transaction,
  { signerId, signerRevision }: EventSource,
): Promise<StoredSigner | undefined> {
  const signer = await findSigner(db, signerId)
  const isSame = signer?.revision === signerRevision && signer.enabled && signer.trust.isTrusted
  return isSame ? signer : undefined
}
