import type { EventHub } from '../../src/events/event-hub.ts'

/** The lines of all events that the hub still keeps. */
export function eventLines(events: EventHub): string[] {
  const lines: string[] = []
  const reader = events.readAfter(0)
  for (let event = reader.next(); event; event = reader.next()) lines.push(event.text)
  return lines
}

/** The kept events of one namespace, as a reader of the lines parses them. */
// biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
export function eventsOf(events: EventHub, namespace: string): any[] {
  return eventLines(events)
    .map((line) => JSON.parse(line))
    .filter((event) => event.namespace === namespace)
}
