import type { LiveSession, LiveSessions } from '../../session/live-sessions.ts'
import { invalidSession, noCredential, noSession } from './challenge.ts'
import { type CallHead, cookieSessionToken } from './session-cookie.ts'

const SESSION_HEADER = 'zt-session'

/** The token of the session that a call brings, blank when it brings none. */
export interface PresentedSession {
  readonly token: string
  /** It came in the console's cookie, which no script may read: it is never sent back. */
  readonly isCookie: boolean
}

/** Whose call it is, and the token that says so. */
export interface Caller extends PresentedSession {
  readonly session: LiveSession
}

/** Throws FORBIDDEN for the console's cookie in a call that is not the console's. */
export function presentedSession(call: CallHead): PresentedSession {
  const header = String(call.headers[SESSION_HEADER] ?? '').trim()
  if (header !== '') return { token: header, isCookie: false }
  const token = cookieSessionToken(call)
  return { token, isCookie: token !== '' }
}

/** Whose call it is. Throws the challenge that says what is missing. */
export async function authenticateCall(call: CallHead, sessions: Pick<LiveSessions, 'find'>): Promise<Caller> {
  const presented = presentedSession(call)
  if (!presented.token) throw call.headers.authorization === undefined ? noCredential() : noSession()
  const session = await sessions.find(presented.token)
  if (!session) throw invalidSession()
  return { session, ...presented }
}
