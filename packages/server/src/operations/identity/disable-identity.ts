import { AppError, hasRights } from '@countersign/core'
import { isDisabled, type StoredIdentity } from '../../store/identity-row.ts'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { setDisabled } from '../../store/writes/identity-writes.ts'
import { authorizeIdentityChange } from './authorize-identity-change.ts'
import { ensureAdministratorRemains } from './ensure-administrator-remains.ts'

const MS_PER_MINUTE = 60_000

export interface DisableIdentity {
  readonly id: string
  /** 0 means until the identity is enabled. */
  readonly durationMinutes: number
}

/** Disables an identity and ends its sessions. */
export const disableIdentity = operation({
  name: 'identity.disable',
  access: { entity: 'identity', action: 'update' },
  target: 'identities',
  async run(tx, { id, durationMinutes }: DisableIdentity): Promise<void> {
    const current = await authorizeIdentityChange(tx, id)
    if (isDisabled(current, tx.now) && isBefore(endAfter(tx, durationMinutes), current.disabledUntil)) {
      requirePowerToEnable(tx, current)
    }
    const disable = () => disableFor(tx, current, durationMinutes)
    await (current.isAdmin ? ensureAdministratorRemains(tx, disable) : disable())
  },
})

/** Disables an identity after too many wrong passwords, unless it is an administrator or already disabled. */
export const lockOutIdentity = operation({
  name: 'identity.lockOut',
  access: 'none',
  target: 'identities',
  async run(tx, { id, durationMinutes }: DisableIdentity): Promise<void> {
    const current = await findIdentity(tx.db, id)
    if (current && !current.isAdmin && !isDisabled(current, tx.now)) await disableFor(tx, current, durationMinutes)
  },
})

export const enableIdentity = operation({
  name: 'identity.enable',
  access: { entity: 'identity', action: 'update' },
  target: 'identities',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const current = await authorizeIdentityChange(tx, id)
    if (isDisabled(current, tx.now)) requirePowerToEnable(tx, current)
    await setDisabled(tx, current, { at: null, until: null })
  },
})

/** Holders of the same rights must not give back to each other what an administrator has taken. */
function requirePowerToEnable({ actor }: AuthorizedTransaction, identity: StoredIdentity): void {
  if (!actor.isAdmin && hasRights(identity)) throw new AppError('UNAUTHORIZED')
}

/** Null means no end. */
function endAfter({ now }: Transaction, minutes: number): number | null {
  return minutes === 0 ? null : now + minutes * MS_PER_MINUTE
}

function isBefore(end: number | null, other: number | null): boolean {
  return (end ?? Number.POSITIVE_INFINITY) < (other ?? Number.POSITIVE_INFINITY)
}

async function disableFor(tx: Transaction, identity: StoredIdentity, minutes: number): Promise<void> {
  await setDisabled(tx, identity, { at: tx.now, until: endAfter(tx, minutes) })
  await endSessions(tx, { identityId: identity.id })
}
