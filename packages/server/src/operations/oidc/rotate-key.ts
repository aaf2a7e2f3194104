import { operation } from '../../store/operation.ts'
import { loadOidcKeys } from '../../store/reads/oidc-key-reads.ts'
import { deleteOidcKeysBefore, insertOidcKey, type NewOidcKey } from '../../store/writes/oidc-key-writes.ts'

export interface RotateOidcKey {
  /** Stored if a key is due. */
  readonly key: NewOidcKey
  /** Identifies the sealing key: nodes without a common one have signing keys of their own. */
  readonly sealedWith: string
  /** How long a key signs. */
  readonly periodMs: number
  /** How long before that a key is published. */
  readonly aheadMs: number
  /** How long a key is published after it has signed its last token. */
  readonly keptMs: number
}

/** Stores the next signing key when it is due, and deletes keys whose tokens have expired. */
export const rotateOidcKey = operation({
  name: 'oidcKey.rotate',
  access: 'none',
  async run(tx, { key, sealedWith, periodMs, aheadMs, keptMs }: RotateOidcKey): Promise<void> {
    const own = (await loadOidcKeys(tx.db)).filter((row) => row.private_key.startsWith(sealedWith))
    const activeAt = nextActiveAt(own[0]?.active_at, tx.now, { periodMs, aheadMs })
    if (activeAt !== undefined) await insertOidcKey(tx, { ...key, activeAt })
    await deleteOidcKeysBefore(tx, tx.now - periodMs - aheadMs - keptMs)
  },
})

/** When the next key becomes active; undefined while it is not due. The first key is active at once. */
export function nextActiveAt(
  latest: number | undefined,
  now: number,
  { periodMs, aheadMs }: Pick<RotateOidcKey, 'periodMs' | 'aheadMs'>,
): number | undefined {
  if (latest === undefined) return now
  const end = latest + periodMs
  return now < end - aheadMs ? undefined : Math.max(end, now)
}
