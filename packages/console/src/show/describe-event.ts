import type { ControllerEvent } from '../api/event-stream.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What each kind of event says, in a line. */
const SENTENCES: Readonly<Record<string, (event: ControllerEvent) => string>> = {
  authentication: ({ success, type, reason }) =>
    success === true ? `Somebody signed in by ${text(type)}` : `Sign-in by ${text(type)} refused: ${text(reason)}`,
  apiSession: ({ event_type, ip_address }) => `Session ${text(event_type)}, ${text(ip_address)}`,
  entityChange: (event) => `${authorOf(event)} ${text(event.eventType)} ${nameOf(event)} of ${text(event.entityType)}`,
  signerHealth: ({ event_type, message }) => `Signer ${text(event_type)}: ${text(message)}`,
  enrollment: ({ success, identity_name, reason }) =>
    success === true ? `${text(identity_name)} was enrolled` : `Enrollment refused: ${text(reason)}`,
}

/** A line about an event, whatever its kind. */
export function describeEvent(event: ControllerEvent): string {
  return SENTENCES[event.namespace]?.(event) ?? event.namespace
}

function authorOf({ metadata }: ControllerEvent): string {
  const { author } = (metadata ?? {}) as { author?: { name?: string } }
  return author?.name || 'The controller'
}

function nameOf({ initialState, finalState }: ControllerEvent): string {
  const { name, id } = ((finalState ?? initialState) as { name?: string; id?: string } | null) ?? {}
  return `“${name ?? id ?? 'something'}”`
}
