import type { ApiSession, OwnAuthDecision } from '@countersign/sdk'

/** A login of the caller: accepted with a session that is still open, or refused. */
export interface RecentLogin {
  readonly id: string
  readonly at: string
  readonly address: string
  readonly method: string | undefined
  /** Why it was refused; undefined for an accepted login. */
  readonly reason: string | undefined
}

/** The logins behind open sessions and the refused ones, newest first. */
export function recentLogins(
  sessions: readonly Pick<ApiSession, 'id' | 'createdAt' | 'ipAddress' | 'method'>[],
  refused: readonly OwnAuthDecision[],
): RecentLogin[] {
  const accepted = sessions.map(({ id, createdAt: at, ipAddress: address, method }) => {
    return { id, at, address, method, reason: undefined }
  })
  const others = refused.map(({ id, at, remoteAddress: address, method, reason }) => {
    return { id, at, address, method, reason }
  })
  return [...accepted, ...others].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
}
