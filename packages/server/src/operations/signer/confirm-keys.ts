import { AppError, thumbprintsOf } from '@countersign/core'
import { readStoredKeys } from '../../keyset/stored-key-set.ts'
import { isSameEndpoint, keyEndpoint } from '../../store/key-signer.ts'
import { operation } from '../../store/operation.ts'
import { findStoredKeySet } from '../../store/reads/key-signer-reads.ts'
import { getSigner } from '../../store/reads/signer-reads.ts'
import { upsertKeySet } from '../../store/writes/key-set-writes.ts'
import { noteGivenKeys } from './give-keys.ts'

export interface ConfirmKeys {
  readonly id: string
  /** The keys that the actor has seen; undefined to confirm whatever waits. */
  readonly thumbprints: readonly string[] | undefined
}

const TABLE = 'signer_key_sets'

/** Uses the fetched keys that wait, because they share none with the earlier ones. Fails with NO_PENDING_KEYS when none wait, or others. */
export const confirmKeys = operation({
  name: 'signer.confirmKeys',
  access: { entity: 'external-jwt-signer', action: 'update' },
  target: 'externalJwtSigners',
  async run(tx, { id, thumbprints: seen }: ConfirmKeys): Promise<void> {
    const signer = await getSigner(tx.db, id)
    const stored = await findStoredKeySet(tx.db, { table: TABLE, ownerId: id })
    const endpoint = keyEndpoint(signer.jwksEndpoint ?? '', signer.jwksCaPem)
    const jwks = stored?.pendingJwks ?? null
    if (!stored || jwks === null || !isSameEndpoint(stored, endpoint)) throw new AppError('NO_PENDING_KEYS')
    const keys = readStoredKeys(jwks)
    const thumbprints = thumbprintsOf(keys)
    if (seen && [...new Set(seen)].toSorted().join() !== thumbprints.join()) throw new AppError('NO_PENDING_KEYS')
    await noteGivenKeys(tx, signer, keys)
    const fetchedAt = Math.max(tx.now, stored.fetchedAt + 1)
    await upsertKeySet(tx, { table: TABLE, ownerId: id }, { ...endpoint, jwks, fetchedAt, thumbprints })
  },
})
