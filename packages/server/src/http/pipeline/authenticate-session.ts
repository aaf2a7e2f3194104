import type { LiveSession, LiveSessions } from '../../session/live-sessions.ts'
import type { RequestProofs } from '../../token/request-proofs.ts'
import { invalidSession } from './challenge.ts'
import { checkSessionProof } from './check-session-proof.ts'
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

/**
 * Finds the session of a session token, with the proof that it needs if it is bound to a key. Throws the challenge for one that names none. With
 * `isRecheck` the lookup does not count as a use of the session.
 */
export async function authenticateSession(
  credential: SessionCredential,
  sessions: Pick<LiveSessions, 'peek' | 'noteUse'>,
  proofs: () => RequestProofs,
  isRecheck: boolean,
): Promise<SessionCaller> {
  const session = await sessions.peek(credential.token)
  if (!session) throw invalidSession()
  if (session.boundKey !== null) await checkSessionProof(session, credential.token, proofs())
  if (!isRecheck) sessions.noteUse(session)
  return { session, ...credential }
}
