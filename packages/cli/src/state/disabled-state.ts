import type { ControllerClient } from '@countersign/sdk'
import { usageError } from '../cli-error.ts'
import type { Members } from '../resources/references.ts'
import type { Change } from './diff-members.ts'

const MS_PER_MINUTE = 60_000
/** The API disables for whole minutes from now on. */
const TOLERANCE_MS = 2 * MS_PER_MINUTE

interface Disabled {
  readonly disabled: boolean
  /** Milliseconds; undefined for no end. */
  readonly until: number | undefined
}

/** How an identity is to be disabled or enabled; undefined when its members do not say. */
function readDisabled({ disabled, disabledUntil }: Members, where: string, now: number): Disabled | undefined {
  if (disabled === undefined || disabled === null) return undefined
  if (typeof disabled !== 'boolean')
    throw usageError(`${where}: disabled is neither true nor false`, 'write disabled: true')
  if (!disabled || disabledUntil === undefined || disabledUntil === null) return { disabled, until: undefined }
  const until = Date.parse(String(disabledUntil))
  if (Number.isNaN(until)) throw usageError(`${where}: disabledUntil is not a time`, 'write it as 2027-01-31T18:00:00Z')
  return until > now ? { disabled, until } : { disabled: false, until: undefined }
}

/** The members by which an identity is disabled or enabled, where they differ. */
export function diffDisabled(current: Members, desired: Members, where: string, now = Date.now()): Change[] {
  const after = readDisabled(desired, where, now)
  const before = readDisabled({ disabled: false, ...current }, where, now)
  if (!after || !before || isSame(before, after)) return []
  const rows = [
    ['disabled', before.disabled, after.disabled],
    ['disabledUntil', toTime(before.until), toTime(after.until)],
  ] as const
  return rows.flatMap(([path, from, to]) => (from === to ? [] : [{ path, before: from, after: to, isSecret: false }]))
}

function isSame(one: Disabled, other: Disabled): boolean {
  if (one.disabled !== other.disabled) return false
  if (one.until === undefined || other.until === undefined) return one.until === other.until
  return Math.abs(one.until - other.until) < TOLERANCE_MS
}

function toTime(until: number | undefined): string | null {
  return until === undefined ? null : new Date(until).toISOString()
}

/** Whether a new identity is disabled from the beginning. */
export function isDisabledIn(members: Members, now = Date.now()): boolean {
  return readDisabled(members, '', now)?.disabled === true
}

/** Disables or enables an identity as the members say. */
export async function writeDisabled(
  { identities }: ControllerClient,
  id: string,
  members: Members,
  now = Date.now(),
): Promise<void> {
  const state = readDisabled(members, id, now)
  if (!state) return
  if (!state.disabled) return identities.enable(id)
  const minutes = state.until === undefined ? 0 : Math.max(1, Math.ceil((state.until - now) / MS_PER_MINUTE))
  await identities.disable(id, { minutes })
}
