import type { SinkFormat } from '@countersign/contract/event-sink'
import { formatEvent, membersOf, type SinkEvent, typeOf } from './sink-event.ts'

const INFO = { severityNumber: 9, severityText: 'INFO' }
const WARN = { severityNumber: 13, severityText: 'WARN' }

/** Members that become attributes of a log record, so that collectors need not parse its body. */
const ATTRIBUTES = ['namespace', 'identity_id', 'external_jwt_signer_id', 'reason', 'remote_address', 'request_id']

/** Collectors refuse requests of more than a few MiB, always. */
const MAX_CHARACTERS = 1_048_576

/** Divides events into those of one request each, in their order. A single event can be longer than the others together may be. */
export function otlpBatches(events: readonly SinkEvent[]): SinkEvent[][] {
  const batches: SinkEvent[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const event of events) {
    characters += event.text.length
    const last = batches.at(-1)
    if (last && characters <= MAX_CHARACTERS) last.push(event)
    else {
      batches.push([event])
      characters = event.text.length
    }
  }
  return batches
}

/** An OTLP/JSON request with a log record for each event, in their order. */
export function buildOtlpLogs(events: readonly SinkEvent[], format: SinkFormat, now: number): string {
  const logRecords = events.map((event) => logRecord(event, format, now))
  const resource = { attributes: [attribute('service.name', 'countersign')] }
  return JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'countersign' }, logRecords }] }] })
}

function logRecord(event: SinkEvent, format: SinkFormat, now: number) {
  const members = membersOf(event)
  const given = ATTRIBUTES.flatMap((name) => {
    const value = members[name]
    return typeof value === 'string' && value !== '' ? [attribute(name, value)] : []
  })
  return {
    timeUnixNano: nanoseconds(event.at),
    observedTimeUnixNano: nanoseconds(now),
    ...(members.success === false || members.event_type === 'warning' ? WARN : INFO),
    eventName: `countersign.${typeOf(members)}`,
    body: { stringValue: formatEvent(event, format) },
    attributes: [attribute('event.id', event.id), attribute('event.position', String(event.position)), ...given],
  }
}

function attribute(key: string, stringValue: string) {
  return { key, value: { stringValue } }
}

/** 64-bit integers are decimal strings in OTLP/JSON. */
function nanoseconds(ms: number): string {
  return `${Math.floor(ms)}000000`
}
