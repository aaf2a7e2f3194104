import type { ApiSession, OwnAuthDecision } from '@countersign/sdk'

/** A login of the caller: accepted with a session that is still open, or refused. */
export interface RecentLogin {
  readonly id: string
  readonly at: string
  readonly address: string
  /** Undefined for an accepted login. */
  readonly refusal: { readonly method: string; readonly reason: string } | undefined
}

/** The logins behind open sessions and the refused ones, newest first. */
export function recentLogins(
  sessions: readonly Pick<ApiSession, 'id' | 'createdAt' | 'ipAddress'>[],
  refused: readonly OwnAuthDecision[],
): RecentLogin[] {
  const accepted = sessions.map(({ id, createdAt: at, ipAddress: address }) => {
    return { id, at, address, refusal: undefined }
  })
  const others = refused.map(({ id, at, remoteAddress: address, method, reason }) => {
    return { id, at, address, refusal: { method, reason } }
  })
  return [...accepted, ...others].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
}
