import type { DatabaseSync } from 'node:sqlite'
import type { Change, ChangeListener } from '../change.ts'

export interface ChangeLogPoller {
  /** Publishes what any process has committed since the last poll; takes microseconds when there is nothing. */
  catchUp(): void
  stop(): void
}

/** For caches that no request triggers a poll for. */
const POLL_MS = 50
/** More changes since the last poll are published as `everything`. */
const MAX_PUBLISHED = 500

/**
 * Follows the change log of a database file that several processes write. SQLite has one writer at a time, so whatever was committed after
 * the last poll has a higher `seq`. Changes of this process are published twice, which costs at most a reload.
 */
export function createChangeLogPoller(raw: DatabaseSync, publish: ChangeListener): ChangeLogPoller {
  const version = raw.prepare('pragma data_version')
  const since = raw.prepare(
    `select seq, entity, entity_id as id, action from change_log where seq > ? order by seq limit ${MAX_PUBLISHED + 1}`,
  )
  const newest = raw.prepare('select coalesce(max(seq), 0) as seq from change_log')
  const newestSeq = (): number => Number(newest.get()?.seq)
  let seenVersion = version.get()?.data_version
  let seenSeq = newestSeq()

  const poll = (): void => {
    const now = version.get()?.data_version
    if (now === seenVersion) return
    seenVersion = now
    const changes = since.all(seenSeq) as unknown as (Change & { readonly seq: number })[]
    const last = changes.at(-1)
    if (!last) return
    if (changes.length > MAX_PUBLISHED) {
      seenSeq = newestSeq()
      publish('everything')
    } else {
      seenSeq = last.seq
      publish(changes)
    }
  }

  const catchUp = (): void => {
    try {
      poll()
    } catch {
      // The changes of other processes are unknown: no cached row can be trusted.
      seenVersion = undefined
      publish('everything')
    }
  }

  const timer = setInterval(catchUp, POLL_MS)
  timer.unref()
  return { catchUp, stop: () => clearInterval(timer) }
}
