import { membersOf, type SinkEvent } from './sink-event.ts'

/** In characters of JSON. */
const MAX_MEMBER_LENGTH = 1_000

/**
 * The event for a receiver that refuses it as too long: `shortened`, without long members and without those of the states before and after a change. It still
 * says who did what to which object, and when. Callers with few rights can make an event long.
 */
export function shortenedEvent(event: SinkEvent): SinkEvent {
  const members = Object.entries(membersOf(event)).map(([name, value]) => [
    name,
    isLong(value) ? shortPart(value) : value,
  ])
  return { ...event, text: JSON.stringify({ ...Object.fromEntries(members), shortened: true }) }
}

/** The short members of an object. Undefined, which JSON leaves out, for a text or a list. */
function shortPart(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.fromEntries(Object.entries(value).filter(([, member]) => !isLong(member)))
}

function isLong(value: unknown): boolean {
  return JSON.stringify(value).length > MAX_MEMBER_LENGTH
}
