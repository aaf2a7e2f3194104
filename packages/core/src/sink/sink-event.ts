import type { EventOutcome, SinkFormat, SinkSettings } from '@countersign/contract/event-sink'
import { instantText } from '../text/instant-text.ts'

/** An event that waits for its sinks. */
export interface SinkEvent {
  /** The same for every delivery. */
  readonly id: string
  readonly position: number
  readonly at: number
  /** One JSON object, on one line. */
  readonly text: string
}

type Members = Readonly<Record<string, unknown>>

/** The event as a JSON object that also has its id and position. */
export function eventJson({ id, position, text }: SinkEvent): string {
  return `{"event_id":${JSON.stringify(id)},"position":${position},${text.slice(1)}`
}

/** Media types by format. */
export const FORMAT_TYPES: Readonly<Record<SinkFormat, string>> = {
  json: 'application/json',
  cloudevents: 'application/cloudevents+json',
}

/** The event in a format. */
export function formatEvent(event: SinkEvent, format: SinkFormat): string {
  return format === 'json' ? eventJson(event) : cloudEvent(event)
}

/** The digits of the greatest position. */
const SEQUENCE_DIGITS = 16

/** CloudEvents 1.0, in the JSON format. `sequence` is the position; the extension of that name requires texts whose order is that of the events. */
function cloudEvent(event: SinkEvent): string {
  const members = membersOf(event)
  const subject = subjectOf(members)
  return JSON.stringify({
    specversion: '1.0',
    id: event.id,
    source: `/countersign/${String(members.event_src_id ?? '')}`,
    type: `countersign.${typeOf(members)}`,
    ...(subject !== undefined && { subject }),
    time: instantText(event.at),
    datacontenttype: 'application/json',
    sequence: String(event.position).padStart(SEQUENCE_DIGITS, '0'),
    data: members,
  })
}

/** What the event is about: events with the same subject are delivered in their order. */
export function eventSubject(event: SinkEvent): string | undefined {
  return subjectOf(membersOf(event))
}

/** Whether a filter lets an event pass. A filter by signers or outcomes lets only events pass that have one. Heads of the audit record pass every filter. */
export function passesFilter(event: SinkEvent, filter: SinkSettings['filter']): boolean {
  if (filter === null) return true
  const namespace = namespaceOf(event)
  if (namespace === 'auditHead') return true
  const { types, signers, outcomes } = filter
  if (types && !types.some((type) => type === namespace)) return false
  if (!signers && !outcomes) return true
  const members = membersOf(event)
  if (signers && !signersOf(members).some((id) => signers.includes(id))) return false
  return !outcomes || outcomes.some((outcome) => OUTCOMES[outcome] === members.success)
}

const NAMESPACE_FIRST = /^\{"namespace":"(\w+)"/

/** Without parsing an event whose text begins with it, as those of this release do. */
function namespaceOf(event: SinkEvent): unknown {
  return NAMESPACE_FIRST.exec(event.text)?.[1] ?? membersOf(event).namespace
}

const OUTCOMES: Readonly<Record<EventOutcome, boolean>> = { accepted: true, success: true, refused: false, fail: false }

const parsed = new WeakMap<SinkEvent, Members>()

/** Parsed once for all sinks that receive the event. */
export function membersOf(event: SinkEvent): Members {
  const known = parsed.get(event)
  if (known) return known
  const members: Members = JSON.parse(event.text)
  parsed.set(event, members)
  return members
}

/** `authentication.fail`, `entityChange.created`. */
export function typeOf({ namespace, event_type, eventType }: Members): string {
  return [namespace, event_type ?? eventType].filter((part) => typeof part === 'string').join('.')
}

function subjectOf(members: Members): string | undefined {
  const { identity_id, external_jwt_signer_id, api_account_id, node } = members
  const found = [identity_id, changedId(members), external_jwt_signer_id, api_account_id, node]
  return found.find((id): id is string => typeof id === 'string' && id !== '')
}

function changedId({ initialState, finalState }: Members): unknown {
  return ((finalState ?? initialState) as Members | null | undefined)?.id
}

function signersOf(members: Members): string[] {
  const changed = members.entityType === 'externalJwtSigners' ? changedId(members) : undefined
  return [members.external_jwt_signer_id, changed].filter((id) => typeof id === 'string')
}
