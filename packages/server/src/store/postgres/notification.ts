import { type Change, type OwnChange, withoutDetails } from '../change.ts'

export const NOTIFY_CHANNEL = 'countersign_changes'

/** The first and the last of consecutive entries of the change log. */
export type EntryRange = readonly [first: number, last: number]

/** What a commit publishes to the other nodes. */
export interface Notification {
  /** The node that made the changes. */
  readonly from: string
  /** `everything` when there are more than a notification can hold. */
  readonly changes: readonly Change[] | 'everything'
  /** The entries of the change log that this notification stands for. */
  readonly entries: readonly EntryRange[]
}

/** Committed changes, and the number of the change-log entry of each. */
export interface LoggedChanges {
  readonly changes: readonly OwnChange[]
  readonly entries: readonly number[]
}

/** PostgreSQL limits a notification to 8,000 bytes. */
const CHANGES_PER_NOTIFICATION = 40
/** More of them are published as `everything`. */
const MAX_NOTIFICATIONS = 8

/** The notifications of one commit. */
export function buildNotifications(from: string, { changes, entries }: LoggedChanges): Notification[] {
  if (changes.length > CHANGES_PER_NOTIFICATION * MAX_NOTIFICATIONS)
    return [{ from, changes: 'everything', entries: rangesOf(entries).slice(0, CHANGES_PER_NOTIFICATION) }]
  const notifications: Notification[] = []
  for (let at = 0; at < changes.length; at += CHANGES_PER_NOTIFICATION) {
    const until = at + CHANGES_PER_NOTIFICATION
    notifications.push({
      from,
      changes: changes.slice(at, until).map(withoutDetails),
      entries: rangesOf(entries.slice(at, until)),
    })
  }
  return notifications
}

/**
 * The notification in a payload. One of another release may lack `entries`: then they count as missed, and the next heartbeats clear the caches.
 * One that cannot be read stands for everything.
 */
export function parseNotification(payload: string | undefined): Notification {
  try {
    const { from = '', changes, entries = [] } = JSON.parse(payload ?? '') as Partial<Notification>
    if (changes === 'everything' || Array.isArray(changes)) return { from, changes, entries }
  } catch {
    // Not JSON: the same as unknown members.
  }
  return { from: '', changes: 'everything', entries: [] }
}

/** Ascending numbers as ranges. */
function rangesOf(numbers: readonly number[]): EntryRange[] {
  const ranges: [first: number, last: number][] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range && range[1] === number - 1) range[1] = number
    else ranges.push([number, number])
  }
  return ranges
}
