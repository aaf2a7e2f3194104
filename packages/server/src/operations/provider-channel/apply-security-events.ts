import {
  accountNamesOf,
  type EventSubject,
  foldAscii,
  isLinkedTo,
  type SignalAction,
  selectsSubject,
  subjectIssuers,
  tokensOfSubject,
} from '@countersign/core'
import {
  type AccountChange,
  isDisabledWithoutEnd,
  recordAccountEvent,
  stateAfterDisabling,
  stateAfterEnabling,
} from '../../store/account-state.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { operation } from '../../store/operation.ts'
import { findIdentitiesById, findIdentityByClaim } from '../../store/reads/identity-reads.ts'
import { findIdsByAddress } from '../../store/reads/scim-user-reads.ts'
import { findTokenSessions } from '../../store/reads/token-session-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { setAccountState } from '../../store/writes/identity-writes.ts'
import { useEventToken } from '../../store/writes/token-revocation-writes.ts'
import { type EndedAccess, endProviderSessions } from './end-provider-sessions.ts'
import { type EventSource, findEventSigner } from './find-event-signer.ts'
import { isNeededAdministrator } from './needed-administrator.ts'

/** An event of a verified security event token, and what it does. */
export interface EventToApply {
  readonly name: string
  readonly action: SignalAction
  /** Set for every action but `log`. */
  readonly subject: EventSubject | undefined
}

export interface ApplySecurityEvents extends EventSource {
  readonly events: readonly EventToApply[]
}

export interface EventOutcome extends EndedAccess {
  /** Whether the subject has a linked identity or session. */
  readonly isMatched: boolean
}

export type EventsOutcome = 'signer-changed' | 'replayed' | readonly EventOutcome[]

const NOTHING: EventOutcome = { sessions: 0, identityIds: [], isMatched: false }

/**
 * Applies the events of a security event token that its signer has verified. Does nothing when the token was used before, or the signer has
 * changed since it was verified. Returns what each event did.
 */
export const applySecurityEvents = operation({
  name: 'providerChannel.events',
  access: 'none',
  async run(tx, { events, ...source }: ApplySecurityEvents): Promise<EventsOutcome> {
    const signer = await findEventSigner(tx, source)
    if (!signer) return 'signer-changed'
    if (!(await useEventToken(tx, source))) return 'replayed'
    const results: EventOutcome[] = []
    for (const { name, action, subject } of events) {
      const apply = subject && ACTIONS[action]
      const event = subject && { signer, name, subject, issuedAt: source.issuedAt }
      results.push(apply && event ? await applyEvent(tx, event, apply) : NOTHING)
    }
    return results
  },
})

async function applyEvent(tx: Transaction, named: Omit<SubjectEvent, 'accounts'>, apply: Apply): Promise<EventOutcome> {
  // Before its sessions end, by which the subject may be known.
  const accounts = await findAccounts(tx, named)
  const ended = await apply(tx, { ...named, accounts })
  return { ...ended, isMatched: accounts.length > 0 || ended.sessions > 0 }
}

interface SubjectEvent {
  readonly signer: StoredSigner
  readonly name: string
  readonly subject: EventSubject
  readonly issuedAt: number
  /** The linked identities of the subject. */
  readonly accounts: readonly StoredIdentity[]
}

type Apply = (tx: Transaction, event: SubjectEvent) => Promise<EndedAccess>

const ACTIONS: Readonly<Record<SignalAction, Apply | undefined>> = {
  'end-sessions': endSubjectSessions,
  disable: disableSubject,
  enable: enableSubject,
  log: undefined,
}

async function endSubjectSessions(tx: Transaction, event: SubjectEvent): Promise<EndedAccess> {
  const { signer, name, subject, issuedAt } = event
  const claims = event.accounts.flatMap(({ id, externalId }) => (signer.useExternalId ? externalId : id) ?? [])
  let sessions = 0
  const identityIds = new Set<string>()
  for (const tokens of tokensOfSubject(subject, subjectIssuers(signer), claims)) {
    const ended = await endProviderSessions(tx, signer, tokens, { cause: name, issuedAt })
    sessions += ended.sessions
    for (const id of ended.identityIds) identityIds.add(id)
  }
  return { sessions, identityIds: [...identityIds] }
}

/** Disables the linked identities of a subject and ends all their sessions. An earlier event than the latest one about the account changes nothing. */
async function disableSubject(tx: Transaction, event: SubjectEvent): Promise<EndedAccess> {
  const { signer, name, accounts } = event
  const ended = await endSubjectSessions(tx, event)
  let { sessions } = ended
  const identityIds = new Set(ended.identityIds)
  for (const identity of accounts) {
    if (isOutdated(identity, event)) continue
    const { id } = identity
    if (await isNeededAdministrator(tx, identity)) continue
    await setAccountState(tx, id, stateAfterDisabling(identity, changeOf(tx, event)))
    if (isDisabledWithoutEnd(identity)) continue
    sessions += await endSessions(tx, { identityId: id }, { cause: name, signerId: signer.id, signerName: signer.name })
    identityIds.add(id)
  }
  return { sessions, identityIds: [...identityIds] }
}

/** Undoes a disabling by the same signer. Never enables an identity with rights: only an administrator does. */
async function enableSubject(tx: Transaction, event: SubjectEvent): Promise<EndedAccess> {
  const { signer } = event
  const change = changeOf(tx, event)
  const identityIds: string[] = []
  for (const identity of event.accounts) {
    if (isOutdated(identity, event)) continue
    const { id, disabledBySignerId, isAdmin, permissions } = identity
    const canEnable = disabledBySignerId === signer.id && !isAdmin && permissions.length === 0
    const state = canEnable ? stateAfterEnabling(identity, change) : recordAccountEvent(identity, change, false)
    await setAccountState(tx, id, state)
    if (canEnable && state.disabledBySignerId === null) identityIds.push(id)
  }
  return { sessions: 0, identityIds }
}

function changeOf({ now }: Transaction, { signer, name, issuedAt }: SubjectEvent): AccountChange {
  return { signerId: signer.id, cause: name, issuedAt, now }
}

/**
 * The identities of a subject that are linked to the signer: the one that its claim names, those with sessions of its tokens, and those of its e-mail
 * address.
 */
async function findAccounts(
  { db }: Transaction,
  { signer, subject, issuedAt }: Omit<SubjectEvent, 'accounts'>,
): Promise<StoredIdentity[]> {
  const names = { issuers: subjectIssuers(signer), isSubjectClaim: selectsSubject(signer.claimsProperty) }
  const { sub, identityClaim } = accountNamesOf(subject, names)
  const named = identityClaim === undefined ? undefined : await findIdentityByClaim(db, signer, identityClaim)
  const sessions = sub === undefined ? [] : await findTokenSessions(db, signer.id, { sub }, issuedAt)
  const byAddress = subject.format === 'email' ? await findIdsByAddress(db, signer.id, foldAscii(subject.email)) : []
  const ids = new Set([...sessions.map(({ identity_id: id }) => id), ...byAddress])
  const others = await findIdentitiesById(
    db,
    [...ids].filter((id) => id !== named?.id),
  )
  return [...(named ? [named] : []), ...others].filter((identity) => isLinkedTo(identity, signer.id))
}

/** Events can arrive in another order than they were issued. */
function isOutdated({ accountEvents }: StoredIdentity, { signer, issuedAt }: SubjectEvent): boolean {
  return issuedAt < (accountEvents[signer.id]?.at ?? Number.NEGATIVE_INFINITY)
}
