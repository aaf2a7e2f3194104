import { accountIdentityId, accountIdOf, fieldError, hostedIdentityId, isAccountIdentity } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import { SYSTEM_ACTOR } from '../../store/actor.ts'
import {
  type AuditEvent,
  type AuditPosition,
  listAuditEvents,
  loadMemberNames,
} from '../../store/reads/audit-event-reads.ts'
import type { Store } from '../../store/store.ts'
import type { DecisionRecorder } from '../../token/decision-recorder.ts'
import type { Query } from '../pipeline/query.ts'
import { hostedCallerOf, type Route } from '../pipeline/route.ts'
import { changeType, readTypes, recordName } from './audit-event-types.ts'
import { isoTime } from './hal.ts'
import { readsOfCaller } from './reads-of-caller.ts'

interface AuditEventRouteParts {
  readonly store: Pick<Store, 'db' | 'dialect' | 'readLong'>
  readonly clock: Clock
  readonly decisions: Pick<DecisionRecorder, 'flush'>
}

const DEFAULT_SIZE = 100
const MAX_SIZE = 1_000
const ISO_INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/** What happened in the caller's organization: changes of its records, and tokens of its accounts. Only its members read it. */
export function auditEventRoutes({ store, clock, decisions }: AuditEventRouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: ['/identity/v1/audit-events'],
      access: { hosted: 'read' },
      bodyCap: 'management',
      body: null,
      note: null,
      handle: async (call) => {
        const { query } = call
        const caller = hostedCallerOf(call)
        const { organizationId } = caller
        const reads = readsOfCaller(store, caller)
        const wanted = {
          ...readTypes(query.get('type')),
          from: readInstant(query, 'from', 0),
          to: readInstant(query, 'to', clock.now()),
          after: readPosition(query),
          limit: readSize(query),
        }
        await decisions.flush()
        const events = await listAuditEvents(reads, organizationId, wanted)
        const members = await loadMemberNames(reads, organizationId, [...new Set(events.flatMap(actorIdOf))])
        return { status: 200, json: events.map((event) => eventView(event, members)) }
      },
    },
  ]
}

function actorIdOf(event: AuditEvent): string[] {
  if ('actorId' in event) return [event.actorId]
  return event.accountId === null ? [] : [accountIdentityId(event.accountId)]
}

/** The names of the members of the organization by actor id. */
type Members = ReadonlyMap<string, string | null>

function eventView(event: AuditEvent, members: Members) {
  const common = { id: positionText(event), at: isoTime(event.at) }
  if ('seq' in event) {
    const { entity, action, entityId: id, entityName: name, changed, address } = event
    const actor = actorView(event.actorId, members)
    return {
      ...common,
      type: changeType(entity, action),
      actor,
      target: { type: recordName(entity), id, name },
      changed: changed ?? [],
      address: actor.type === 'operator' || address === null ? null : withoutPort(address),
      reason: null,
      traceId: null,
    }
  }
  const { accountId, reason, address, decisionId: traceId } = event
  const isAccepted = reason === 'accepted'
  return {
    ...common,
    type: isAccepted ? 'token.accepted' : 'token.refused',
    actor: accountId === null ? null : actorView(accountIdentityId(accountId), members),
    target: null,
    changed: [],
    address,
    reason: isAccepted ? null : reason,
    traceId,
  }
}

/** Members are shown with their names. Any other actor is the operator: its identity, its account and its address are not for other organizations. */
function actorView(actorId: string, members: Members) {
  if (actorId === SYSTEM_ACTOR.id) return { type: 'system', id: null, name: null }
  const name = members.get(actorId)
  if (name === undefined) return { type: 'operator', id: null, name: null }
  return isAccountIdentity(actorId)
    ? { type: 'api-account', id: accountIdOf(actorId), name }
    : { type: 'user', id: hostedIdentityId(actorId), name }
}

/** Changes are logged with the port of the client, uses of tokens without. */
function withoutPort(address: string): string {
  return /^(?:\[(?<v6>.+)\]|(?<v4>[^:]+)):\d+$/.exec(address)?.slice(1).find(Boolean) ?? address
}

/** The position of an event is its id: the time, and a number or a decision. */
function positionText(event: AuditPosition): string {
  const at = event.at.toString(36)
  return 'seq' in event ? `${at}-c${event.seq}` : `${at}-d${event.decisionId}`
}

const POSITION = /^([0-9a-z]{1,11})-(?:c(\d{1,15})|d([\w-]{1,64}))$/

function readPosition(query: Query): AuditPosition | undefined {
  const given = query.get('before')
  if (given === undefined || given === '') return undefined
  const [, time = '', seq, decisionId] = POSITION.exec(given) ?? []
  const at = Number.parseInt(time, 36)
  if (seq !== undefined) return { at, seq: Number(seq) }
  if (decisionId !== undefined) return { at, decisionId }
  throw fieldError('before', 'before must be the id of an event', given)
}

function readInstant(query: Query, name: string, fallback: number): number {
  const given = query.get(name)
  if (given === undefined || given === '') return fallback
  const instant = ISO_INSTANT.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(instant)) throw fieldError(name, `${name} must be a time such as 2026-01-31T08:00:00Z`, given)
  return instant
}

function readSize(query: Query): number {
  const given = query.get('size')
  if (given === undefined || given === '') return DEFAULT_SIZE
  const size = Number(given)
  if (!Number.isSafeInteger(size) || size < 1)
    throw fieldError('size', 'size must be a whole number of at least 1', given)
  return Math.min(size, MAX_SIZE)
}
