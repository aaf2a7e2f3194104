import type { LoginMethodName } from '@countersign/core'

/** An accepted login of an identity. */
export interface RecentLogin {
  /** The id of the session that it opened. */
  readonly id: string
  readonly at: number
  readonly method: LoginMethodName
  readonly signerId: string | null
  readonly ipAddress: string
}

/** Logins that are kept of each identity. */
export const MAX_RECENT_LOGINS = 10
/** Longer than any line with an IPv6 address. */
const MAX_LINE_LENGTH = 160
/** The column keeps this many characters: the database cuts what is older. */
export const MAX_RECENT_LENGTH = MAX_RECENT_LOGINS * MAX_LINE_LENGTH

/** One line of the column `recent`. A login is added by putting its line in front of the others, without reading them. */
export function recentLine({ id, at, method, signerId, ipAddress }: RecentLogin): string {
  return `${JSON.stringify([id, at, method, signerId, ipAddress])}\n`
}

/** The logins in the column `recent`, newest first; the last line may be cut. */
export function readRecentLogins(recent: string): RecentLogin[] {
  const lines = recent.split('\n').slice(0, -1).slice(0, MAX_RECENT_LOGINS)
  return lines.map((line) => {
    const [id, at, method, signerId, ipAddress] = JSON.parse(line)
    return { id, at, method, signerId, ipAddress }
  })
}
