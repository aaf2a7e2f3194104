import { type AuditContent, type DecisionChannel, instantText } from '@countersign/core'
import { SYSTEM_ACTOR, UNATTRIBUTED_ID } from '../../store/actor.ts'
import type { PendingRecordRow } from '../../store/event-schema.ts'
import { OBJECT_KINDS } from '../../store/object-kinds.ts'
import type { RecordedChange, RecordedChanges } from '../../store/record-events.ts'
import type { RecordedDecisions } from './recorded-decisions.ts'

/** What a pending record adds to the audit record, before it has an id. */
export interface PendingContent {
  readonly at: string
  readonly content: AuditContent
  /** Whether the state before is that after the last entry of the object. */
  readonly needsBefore: boolean
  readonly organizationId: string | null
}

/** The audit entries of a record. Events have none, and neither have sessions that ended by themselves or by another change. */
export function contentsOf(record: PendingRecordRow): PendingContent[] {
  const { kind, content } = record
  const at = instantText(record.at)
  if (kind === 'change') return changeContent(at, JSON.parse(content))
  if (kind === 'changes') return changesContents(at, JSON.parse(content))
  return kind === 'decisions' ? decisionContents(JSON.parse(content)) : []
}

type Origin = Pick<AuditContent, 'actorId' | 'actorName' | 'action' | 'requestId' | 'address'>

function originOf({ operation: action, meta: { actorId, source } }: RecordedChange | RecordedChanges): Origin {
  const actorName = actorId === SYSTEM_ACTOR.id && !source ? actorId : (source?.authorName ?? null)
  const isKnown = actorId !== UNATTRIBUTED_ID
  const requestId = source?.requestId ?? null
  const address = source ? withoutPort(source.remoteAddr) : null
  return { actorId: isKnown ? actorId : null, actorName, action, requestId, address }
}

/** The port differs between requests of one client: no search by address would find them all. */
function withoutPort(address: string): string {
  return address.replace(/^\[(.*)\]:\d+$|^([^:]*):\d+$/, '$1$2')
}

function changeContent(at: string, record: RecordedChange): PendingContent[] {
  const { entity, id: objectId, action: change, states, digests, organizationId = null, session } = record.change
  if (record.isAudited && session) {
    const { identityId, ipAddress } = session
    const object = { objectKind: OBJECT_KINDS[entity], objectId, objectName: null }
    const content = { ...originOf(record), change, ...object, before: { identityId, ipAddress }, after: null }
    return [{ at, content, needsBefore: false, organizationId: null }]
  }
  if (!states) return []
  const stateOf = (text: string | null, secrets: object = {}) =>
    text === null ? null : { ...JSON.parse(text), ...secrets }
  const before = stateOf(states.initial, digests?.initial)
  const after = stateOf(states.final, digests?.final)
  const { name } = after ?? before ?? {}
  const object = { objectKind: OBJECT_KINDS[entity], objectId, objectName: typeof name === 'string' ? name : null }
  return [
    {
      at,
      content: { ...originOf(record), change, ...object, before, after },
      needsBefore: before === null && change !== 'created',
      organizationId,
    },
  ]
}

/** An entry for each entity whose state is known, and one with the ids of the others. */
function changesContents(at: string, record: RecordedChanges): PendingContent[] {
  const { operation, meta, entity, action, states = {}, ofIdentity } = record
  const known = Object.entries(states).flatMap(([id, { text, digests, organizationId }]) => {
    const change = {
      entity,
      id,
      action,
      states: { initial: null, final: text },
      digests: { initial: {}, final: digests },
      ...(organizationId !== undefined && { organizationId }),
    }
    return changeContent(at, { operation, meta, change })
  })
  const ids = record.ids.filter((id) => !(id in states))
  if (ids.length === 0) return known
  const object = { objectKind: OBJECT_KINDS[entity], objectId: null, objectName: null }
  const members = ofIdentity
    ? { before: { identityId: ofIdentity.id, sessions: ofIdentity.count, ids }, after: null }
    : { before: null, after: { ids } }
  const content = { ...originOf(record), change: action, ...object, ...members }
  return [...known, { at, content, needsBefore: false, organizationId: null }]
}

const CHANNELS: Readonly<Record<string, DecisionChannel>> = {
  enroll: 'enrollment',
  'backchannel-logout': 'provider-message',
  'shared-signals': 'provider-message',
  scim: 'provider-message',
}

function decisionContents({ decisions, dropped, at: droppedAt }: RecordedDecisions): PendingContent[] {
  const contents = decisions.map((decision): PendingContent => {
    const { id, at, method, reason, signerId, signerName, claimedIdentity, identityId, identityName } = decision
    const { remoteAddress: address, organizationId } = decision
    const after = { method, reason, signerId, signerName, claimedIdentity }
    const channel: DecisionChannel = CHANNELS[method] ?? 'login'
    const content = {
      actorId: identityId,
      actorName: identityName,
      action: `${channel}.${reason === 'accepted' ? 'accepted' : 'refused'}`,
      change: null,
      objectKind: identityId === null ? null : 'identity',
      objectId: identityId,
      objectName: identityName,
      requestId: id,
      address,
      before: null,
      after,
    }
    return { at: instantText(at), content, needsBefore: false, organizationId }
  })
  if (dropped === 0) return contents
  const empty = { actorId: null, actorName: null, change: null, objectKind: null, objectId: null, objectName: null }
  const content = { ...empty, action: 'refusals.dropped', requestId: null, address: null }
  const noted = { ...content, before: null, after: { dropped } }
  return [...contents, { at: instantText(droppedAt), content: noted, needsBefore: false, organizationId: null }]
}
