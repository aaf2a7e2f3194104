import type { IncomingHttpHeaders } from 'node:http'
import type { LiveSession, LiveSessions } from '../../api-session/live-sessions.ts'
import { invalidSession, noCredential, noSession } from './challenge.ts'

const SESSION_HEADER = 'zt-session'

/** Whose call it is, and the token that says so. */
export interface Caller {
  readonly session: LiveSession
  readonly token: string
}

export function sessionTokenOf(headers: IncomingHttpHeaders): string {
  return String(headers[SESSION_HEADER] ?? '').trim()
}

/** Whose call it is. Throws the challenge that says what is missing. */
export async function authenticateCall(
  headers: IncomingHttpHeaders,
  sessions: Pick<LiveSessions, 'find'>,
): Promise<Caller> {
  const token = sessionTokenOf(headers)
  if (!token) throw headers.authorization === undefined ? noCredential() : noSession()
  const session = await sessions.find(token)
  if (!session) throw invalidSession()
  return { session, token }
}
