/** Which identities a list shows, by the end of their access. */
export const ACCESS_OPTIONS = [
  { value: 'all', label: 'All identities' },
  { value: 'ending', label: 'Ending within 30 days' },
  { value: 'expired', label: 'Expired' },
] as const

export type Access = (typeof ACCESS_OPTIONS)[number]['value']

const SOON_MS = 30 * 86_400_000

const datetime = (at: number): string => `datetime(${new Date(at).toISOString()})`

/** The filter of the API; undefined for all identities. */
export function accessFilter(access: Access, now: number): string | undefined {
  if (access === 'all') return undefined
  if (access === 'expired') return `expiresAt <= ${datetime(now)}`
  return `expiresAt > ${datetime(now)} and expiresAt <= ${datetime(now + SOON_MS)}`
}

/** Matches what both filters match. */
export function bothFilters(one: string | undefined, other: string | undefined): string | undefined {
  return one && other ? `(${one}) and (${other})` : (one ?? other)
}
