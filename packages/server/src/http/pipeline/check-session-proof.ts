import { findProofRefusal, secretDigest } from '@countersign/core'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { RequestProofs } from '../../token/request-proofs.ts'
import { refusedProof } from './challenge.ts'

/**
 * Checks that a call with a session that is bound to a key has a proof of that key for its session token, and uses the proof. A session that is not bound must not come
 * with the scheme DPoP. Throws the challenge.
 */
export async function checkSessionProof(
  { boundKey, identity }: Pick<LiveSession, 'boundKey' | 'identity'>,
  token: string,
  proofs: RequestProofs,
): Promise<void> {
  if (boundKey === null) {
    if (proofs.hasDpop && proofs.isDpop(secretDigest(token))) throw refusedProof('token-not-bound')
    return
  }
  const verdict = await proofs.proofFor(secretDigest(token))
  const refusal = findProofRefusal(verdict, boundKey)
  if (refusal) throw refusedProof(refusal)
  if (!(await proofs.use(verdict.use, identity.id))) throw refusedProof('proof-replayed')
}
