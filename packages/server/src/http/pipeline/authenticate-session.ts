import type { LiveSession, LiveSessions } from '../../session/live-sessions.ts'
import { invalidSession } from './challenge.ts'
import { type CallHead, cookieSessionToken } from './session-cookie.ts'

const SESSION_HEADER = 'zt-session'

/** The session token of a request, '' when there is none. */
export interface SessionCredential {
  readonly token: string
  /** The token is from the console's cookie. Scripts must not read it, so no response contains it. */
  readonly isCookie: boolean
}

interface SessionCaller extends SessionCredential {
  readonly session: LiveSession
}

/** Throws FORBIDDEN when the console's cookie comes with a request that no page of the console made. */
export function readSessionCredential(call: CallHead): SessionCredential {
  const header = String(call.headers[SESSION_HEADER] ?? '').trim()
  if (header !== '') return { token: header, isCookie: false }
  const token = cookieSessionToken(call)
  return { token, isCookie: token !== '' }
}

/** Finds the session of a session token. Throws the challenge for one that names none. */
export async function authenticateSession(
  credential: SessionCredential,
  sessions: Pick<LiveSessions, 'find'>,
): Promise<SessionCaller> {
  const session = await sessions.find(credential.token)
  if (!session) throw invalidSession()
  return { session, ...credential }
}
