import type { OwnAuthDecision, OwnLogin } from '@countersign/sdk'

/** A login of the caller, accepted or refused. */
export interface RecentLogin {
  readonly id: string
  readonly at: string
  readonly address: string
  readonly method: string | undefined
  /** Why it was refused; undefined for an accepted login. */
  readonly reason: string | undefined
}

/** The accepted and the refused logins, newest first. */
export function recentLogins(accepted: readonly OwnLogin[], refused: readonly OwnAuthDecision[]): RecentLogin[] {
  const logins = [...accepted.map((login) => ({ ...login, reason: undefined })), ...refused]
  return logins
    .map(({ id, at, remoteAddress: address, method, reason }) => ({ id, at, address, method, reason }))
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
}
