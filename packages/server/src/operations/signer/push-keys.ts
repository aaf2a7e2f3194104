import type { PushedKeySet } from '@countersign/contract'
import { AppError, readGivenKeySet, thumbprintsOf } from '@countersign/core'
import { formatKeySet } from '../../keyset/stored-key-set.ts'
import { PUSHED } from '../../store/key-signer.ts'
import { operation } from '../../store/operation.ts'
import { getSigner } from '../../store/reads/signer-reads.ts'
import { upsertKeySet } from '../../store/writes/key-set-writes.ts'
import { noteGivenKeys } from './give-keys.ts'

export interface PushKeys {
  readonly id: string
  readonly jwks: PushedKeySet
}

/** Replaces the pushed keys of a signer. They are judged like those of `jwks`, and are fresh from now on. Returns the new version of the signer. */
export const pushKeys = operation({
  name: 'signer.pushKeys',
  access: { entity: 'external-jwt-signer', action: 'push-keys' },
  target: 'externalJwtSigners',
  async run(tx, { id, jwks }: PushKeys): Promise<{ readonly updatedAt: number }> {
    const signer = await getSigner(tx.db, id)
    if (tx.ifMatch === undefined) throw new AppError('PRECONDITION_REQUIRED')
    if (!signer.pushedKeys) throw new AppError('PUSHED_KEYS_NOT_TAKEN')
    const { keys } = readGivenKeySet('keys', jwks)
    await noteGivenKeys(tx, signer, keys)
    const keySet = { ...PUSHED, jwks: formatKeySet(keys), fetchedAt: tx.now, thumbprints: thumbprintsOf(keys) }
    await upsertKeySet(tx, { table: 'signer_key_sets', ownerId: id }, keySet)
    return { updatedAt: tx.now }
  },
})
