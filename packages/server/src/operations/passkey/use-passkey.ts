import { AppError, isCounterBehind } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { lockIdentity } from '../../store/reads/lock-identity.ts'
import { findPasskeyByCredential } from '../../store/reads/passkey-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { setPassedPasskey } from '../../store/writes/api-session-writes.ts'
import {
  type PasskeyUse,
  type SpentChallenge,
  setPasskeyUse,
  spendChallenge,
} from '../../store/writes/passkey-writes.ts'

/** A verified response of a passkey. */
export interface PasskeyProof extends PasskeyUse {
  readonly passkeyId: string
  readonly credentialId: string
  readonly challenge: SpentChallenge
}

/**
 * Uses a passkey once: spends the challenge and stores the counter. Returns false when the passkey is gone or belongs to another identity, the challenge is
 * spent, or the counter has been reached by another use. The identity must be locked.
 */
export async function usePasskey(
  tx: Transaction,
  identityId: string,
  { passkeyId, credentialId, challenge, ...use }: PasskeyProof,
): Promise<boolean> {
  const passkey = await findPasskeyByCredential(tx.db, credentialId)
  if (passkey?.id !== passkeyId || passkey.identity_id !== identityId) return false
  if (isCounterBehind(use.counter, passkey.counter)) return false
  if (!(await spendChallenge(tx, identityId, challenge))) return false
  await setPasskeyUse(tx, passkeyId, use)
  return true
}

export interface PassPasskey extends PasskeyProof {
  /** The actor's id. */
  readonly id: string
  readonly sessionId: string
}

/** Completes a session of the actor with a passkey as second factor. Fails with PASSKEY_INVALID when the response was used before. */
export const passPasskey = operation({
  name: 'passkey.pass',
  access: 'partial-self',
  target: 'identities',
  isRecorded: false,
  async run(tx, { id, sessionId, ...proof }: PassPasskey): Promise<void> {
    if (id !== tx.actor.id) throw new AppError('UNAUTHORIZED')
    await lockIdentity(tx, id)
    if (!(await usePasskey(tx, id, proof))) throw new AppError('PASSKEY_INVALID')
    await setPassedPasskey(tx, sessionId, proof.passkeyId)
  },
})
