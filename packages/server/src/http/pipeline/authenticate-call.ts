import type { LiveSession, LiveSessions } from '../../api-session/live-sessions.ts'
import { invalidSession, noCredential, noSession } from './challenge.ts'

const SESSION_HEADER = 'zt-session'

/** Whose call it is. Throws the challenge that says what is missing. */
export async function authenticateCall(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  sessions: LiveSessions,
): Promise<{ session: LiveSession; token: string }> {
  const given = headers[SESSION_HEADER]
  const token = (Array.isArray(given) ? given[0] : given)?.trim()
  if (!token) throw headers.authorization === undefined ? noCredential() : noSession()
  const session = await sessions.find(token)
  if (!session) throw invalidSession()
  return { session, token }
}
