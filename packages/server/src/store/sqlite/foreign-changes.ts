import type { DatabaseSync } from 'node:sqlite'
import type { Change, ChangeListener } from '../change.ts'

export interface ForeignChanges {
  /** Tells what was committed since the last look, by whichever process; a few microseconds when nothing was. */
  catchUp(): void
  stop(): void
}

/** Caches that no request looks at follow at this pace. */
const LOOK_EVERY_MS = 50
/** More changes than this since the last look mean: forget what you remember. */
const MAX_TOLD = 500

/**
 * Follows the change log of a database file that several processes write. One writer at a time numbers its entries, so whatever
 * was committed after the last look has a higher number. Changes of this process are told again, which costs a look-up at most.
 */
export function createForeignChanges(raw: DatabaseSync, tell: ChangeListener): ForeignChanges {
  const version = raw.prepare('pragma data_version')
  const since = raw.prepare(
    `select seq, entity, entity_id as id, action from change_log where seq > ? order by seq limit ${MAX_TOLD + 1}`,
  )
  const newest = raw.prepare('select coalesce(max(seq), 0) as seq from change_log')
  const newestSeq = (): number => Number(newest.get()?.seq)
  let seenVersion = version.get()?.data_version
  let seenSeq = newestSeq()

  const look = (): void => {
    const now = version.get()?.data_version
    if (now === seenVersion) return
    seenVersion = now
    const changes = since.all(seenSeq) as unknown as (Change & { readonly seq: number })[]
    const last = changes.at(-1)
    if (!last) return
    if (changes.length > MAX_TOLD) {
      seenSeq = newestSeq()
      tell('everything')
    } else {
      seenSeq = last.seq
      tell(changes)
    }
  }

  const catchUp = (): void => {
    try {
      look()
    } catch {
      // What others have written cannot be told: nothing that is remembered may be believed.
      seenVersion = undefined
      tell('everything')
    }
  }

  const timer = setInterval(catchUp, LOOK_EVERY_MS)
  timer.unref()
  return { catchUp, stop: () => clearInterval(timer) }
}
