import { AppError, hasRights, isAccountIdentity, SCIM_CAUSE } from '@countersign/core'
import {
  type AccountChange,
  isDisabledWithoutEnd,
  recordAccountEvent,
  stateAfterDisabling,
  stateAfterEnabling,
} from '../../store/account-state.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { setAccountState } from '../../store/writes/identity-writes.ts'
import { isNeededAdministrator } from '../provider-channel/needed-administrator.ts'

/** What a request did to the access of an identity. */
export interface ScimOutcome {
  readonly action: 'disable' | 'enable' | 'delete' | 'log'
  readonly sessions: number
  /** Whether the identity was not deleted, because others than the signer had ended its access. */
  readonly isKept?: boolean
}

export const NO_OUTCOME: ScimOutcome = { action: 'log', sessions: 0 }

/** Whether an identity has rights, so that an identity provider may end its access, and change nothing else. */
export function isPrivileged(identity: StoredIdentity): boolean {
  return hasRights(identity) || isAccountIdentity(identity.id)
}

/**
 * Applies the `active` of a user: disables the identity and ends its sessions, or undoes a disabling by the same signer. Fails with LAST_ADMINISTRATOR.
 * Never enables an identity with rights: only an administrator does.
 */
export async function changeAccount(
  tx: Transaction,
  signer: StoredSigner,
  identity: StoredIdentity,
  active: boolean,
): Promise<ScimOutcome> {
  const change = accountChange(tx, signer, identity)
  if (!active) return disable(tx, signer, identity, change)
  const canEnable = identity.disabledBySignerId === signer.id && !isPrivileged(identity)
  const state = canEnable ? stateAfterEnabling(identity, change) : recordAccountEvent(identity, change, false)
  await setAccountState(tx, identity.id, state)
  const isEnabled = canEnable && state.disabledBySignerId === null
  return isEnabled ? { action: 'enable', sessions: 0 } : NO_OUTCOME
}

async function disable(
  tx: Transaction,
  { id: signerId, name: signerName }: StoredSigner,
  identity: StoredIdentity,
  change: AccountChange,
): Promise<ScimOutcome> {
  if (await isNeededAdministrator(tx, identity)) {
    throw new AppError('LAST_ADMINISTRATOR', { message: 'no other administrator is enabled and able to log in' })
  }
  await setAccountState(tx, identity.id, stateAfterDisabling(identity, change))
  if (isDisabledWithoutEnd(identity)) return NO_OUTCOME
  const sessions = await endSessions(tx, { identityId: identity.id }, { cause: SCIM_CAUSE, signerId, signerName })
  return { action: 'disable', sessions }
}

/** Whether the latest word of the signer about the account was another. A repeated one is not written again. */
export function changesAccount({ id }: StoredSigner, identity: StoredIdentity, active: boolean): boolean {
  const isDisabled = identity.accountEvents[id]?.isDisabled ?? false
  const isSaid = isDisabled === !active
  return !isSaid || (!active && !isDisabledWithoutEnd(identity)) || (active && identity.disabledBySignerId === id)
}

/** The time of a security event is in whole seconds: one of this second may be later. */
function accountChange({ now }: Transaction, { id }: StoredSigner, { accountEvents }: StoredIdentity): AccountChange {
  const issuedAt = Math.max(now - (now % 1000), accountEvents[id]?.at ?? 0)
  return { signerId: id, cause: SCIM_CAUSE, issuedAt, now }
}
