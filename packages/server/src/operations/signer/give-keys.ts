import { AppError, areAllPinned, type SignerKeys, trustAfterKeys } from '@countersign/core'
import type { AuthorizedTransaction } from '../../store/operation.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import { unchangedSigner, updateSigner } from '../../store/writes/signer-writes.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'
import { writerOf } from './writer-of.ts'

/**
 * Notes that the actor has given or confirmed keys of a signer, which changes its version and its trust. Fails with UNAUTHORIZED when that would
 * take the trust from a disabled signer, and with LAST_ADMINISTRATOR when no administrator could log in afterwards.
 */
export async function noteGivenKeys(tx: AuthorizedTransaction, signer: StoredSigner, keys: SignerKeys): Promise<void> {
  const isPinned = areAllPinned(keys, signer.pinnedKeyThumbprints)
  const trust = trustAfterKeys(signer.trust, writerOf(tx), tx.now, isPinned)
  const losesTrust = signer.trust.isTrusted && !trust.isTrusted
  if (losesTrust && !signer.enabled) throw new AppError('UNAUTHORIZED')
  const update = () => updateSigner(tx, signer, { ...unchangedSigner(signer), trust })
  await (losesTrust ? ensureAdministratorRemains(tx, update) : update())
}
