import type { ControllerEvent } from '../../api/event-stream.ts'

export interface Minute {
  /** The start of the minute, in milliseconds since 1970. */
  readonly at: number
  readonly accepted: number
  readonly refused: number
}

const MINUTE_MS = 60_000

/** Accepted and refused logins in each of the last `minutes` minutes, oldest first. */
export function countByMinute(events: readonly ControllerEvent[], now: number, minutes: number): Minute[] {
  const last = Math.floor(now / MINUTE_MS)
  const counts = Array.from({ length: minutes }, (_, index) => ({
    at: (last - minutes + 1 + index) * MINUTE_MS,
    accepted: 0,
    refused: 0,
  }))
  for (const { timestamp, success } of events) {
    const index = Math.floor(Date.parse(timestamp) / MINUTE_MS) - (last - minutes + 1)
    const minute = counts[index]
    if (minute) minute[success === true ? 'accepted' : 'refused'] += 1
  }
  return counts
}

/** The number of refusals per reason, most frequent first. */
export function countReasons(events: readonly ControllerEvent[]): { reason: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { success, reason } of events) {
    if (success === true || typeof reason !== 'string') continue
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count)
}
