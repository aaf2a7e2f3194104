import { operation } from '../../store/operation.ts'
import type { KeptLoginRow } from '../../store/schema.ts'
import { deleteOldKeptLogins, deleteSurplusKeptLogins, upsertKeptLogins } from '../../store/writes/kept-login-writes.ts'

const PRUNE_BATCH = 1_000

export interface RecordKeptLogins {
  readonly logins: readonly KeptLoginRow[]
  readonly maxPerSigner: number
}

/**
 * Stores the verified claims of logins. Takes its turn with the operations that delete identities and signers: claims of a deleted identity are not
 * stored after the deletion.
 */
export const recordKeptLogins = operation({
  name: 'keptLogin.record',
  access: 'none',
  isRecorded: false,
  async run(tx, { logins, maxPerSigner }: RecordKeptLogins): Promise<void> {
    await upsertKeptLogins(tx, logins)
    for (const signerId of new Set(logins.map((login) => login.signer_id))) {
      await deleteSurplusKeptLogins(tx, signerId, maxPerSigner)
    }
  },
})

/** Deletes the logins before `until`. Returns whether there may be more. */
export const pruneKeptLogins = operation({
  name: 'keptLogin.prune',
  access: 'none',
  isRecorded: false,
  async run(tx, { until }: { readonly until: number }): Promise<boolean> {
    return (await deleteOldKeptLogins(tx, until, PRUNE_BATCH)) === PRUNE_BATCH
  },
})
