import { isLinkedTo, type RevocationCause } from '@countersign/core'
import { type AccountEvent, isDisabled, isExpired, type StoredIdentity } from './identity-row.ts'

/** Whether an identity is disabled, by what, and what the signers last said about it. */
export type AccountState = Pick<StoredIdentity, 'disabledAt' | 'disabledUntil' | 'disabledBySignerId' | 'accountEvents'>

/** A security event or a SCIM request of a signer about an account. */
export interface AccountChange {
  readonly signerId: string
  /** The name of the event, or SCIM. */
  readonly cause: RevocationCause
  /** When the event was issued. */
  readonly issuedAt: number
  readonly now: number
}

/** Whether an identity stays disabled until an administrator or the signers enable it. */
export function isDisabledWithoutEnd({ disabledAt, disabledUntil }: AccountState): boolean {
  return disabledAt !== null && disabledUntil === null
}

/** Whether an administrator, another linked signer or wrong passwords have ended the access of an identity, so that the signer must not give it back. */
export function isEndedByOthers(identity: StoredIdentity, signerId: string, now: number): boolean {
  const { accountEvents, disabledBySignerId } = identity
  if (isExpired(identity, now)) return true
  if (isDisabled(identity, now) && disabledBySignerId !== signerId) return true
  if ((accountEvents[signerId]?.lockedUntil ?? 0) > now) return true
  return Object.keys(accountEvents).some(
    (id) => id !== signerId && accountEvents[id]?.isDisabled && isLinkedTo(identity, id),
  )
}

/**
 * The state after a signer has disabled the account. An identity that is disabled without an end stays so by the same administrator or signer. A temporary
 * lock is noted: it goes on after the signers have enabled the identity.
 */
export function stateAfterDisabling(identity: StoredIdentity, change: AccountChange): AccountState {
  const { signerId, now } = change
  const { disabledUntil } = identity
  const recorded = recordAccountEvent(identity, change, true)
  if (isDisabledWithoutEnd(identity)) return recorded
  const accountEvents = withLock(recorded.accountEvents, signerId, disabledUntil ?? undefined)
  return { disabledAt: now, disabledUntil: null, disabledBySignerId: signerId, accountEvents }
}

/** The state after the signer that disabled the identity has enabled it: still disabled where another signer's latest event says so. */
export function stateAfterEnabling(identity: StoredIdentity, change: AccountChange): AccountState {
  const { signerId, now } = change
  const recorded = recordAccountEvent(identity, change, false)
  const lockedUntil = recorded.accountEvents[signerId]?.lockedUntil
  const accountEvents = withLock(recorded.accountEvents, signerId, undefined)
  const nextSignerId = Object.keys(accountEvents).find((id) => accountEvents[id]?.isDisabled)
  if (nextSignerId !== undefined) {
    const locked = withLock(accountEvents, nextSignerId, lockedUntil)
    return { ...recorded, disabledBySignerId: nextSignerId, accountEvents: locked }
  }
  const until = lockedUntil !== undefined && lockedUntil > now ? lockedUntil : null
  const disabledAt = until === null ? null : identity.disabledAt
  return { disabledAt, disabledUntil: until, disabledBySignerId: null, accountEvents }
}

/** The state with an event that changes only what is known of the signer. Forgets signers that are no longer linked. */
export function recordAccountEvent(
  identity: StoredIdentity,
  { signerId, cause, issuedAt }: AccountChange,
  isDisabled: boolean,
): AccountState {
  const { disabledAt, disabledUntil, disabledBySignerId } = identity
  const linked = Object.entries(identity.accountEvents).filter(([id]) => isLinkedTo(identity, id))
  const { cause: _, ...known } = identity.accountEvents[signerId] ?? { at: issuedAt }
  const event: AccountEvent = { ...known, at: issuedAt, isDisabled, ...(isDisabled && { cause }) }
  const accountEvents = { ...Object.fromEntries(linked), [signerId]: event }
  return { disabledAt, disabledUntil, disabledBySignerId, accountEvents }
}

/**
 * The events after an administrator has decided when the identity is enabled, which undoes the disablings of all signers. Earlier events of those
 * signers that arrive later change nothing.
 */
export function eventsAfterOverride({ accountEvents, disabledBySignerId }: AccountState, now: number): AccountEvents {
  // The time of an event is in whole seconds: one of this second may be later.
  const second = now - (now % 1000)
  const undone = Object.entries(accountEvents).map(([id, { at, isDisabled }]) => {
    const isUndone = isDisabled || id === disabledBySignerId
    return [id, { at: isUndone ? Math.max(at, second) : at, isDisabled: false }] as const
  })
  return Object.fromEntries(undone)
}

type AccountEvents = AccountState['accountEvents']

function withLock(events: AccountEvents, signerId: string, until: number | undefined): AccountEvents {
  const { lockedUntil: _, ...event } = events[signerId] ?? { at: 0 }
  return { ...events, [signerId]: { ...event, ...(until !== undefined && { lockedUntil: until }) } }
}
