import { hash } from 'node:crypto'
import { clientNetwork, createLruCache } from '@countersign/core'
import type { LiveSession } from './live-sessions.ts'

/** A session was used from a new network, or with a new user agent. */
export type ClientChange = 'addressChanged' | 'agentChanged'

/** Notes a use of a session. */
export type NoteSessionUse = (session: LiveSession, address: string, agent: string | undefined) => void

const MAX_SESSIONS = 20_000
const MAX_ORIGINS = 16
const MAX_AGENT_LENGTH = 256
const AGENT = 'agent '
const NETWORK = 'network '

/**
 * Reports each new network and each new user agent of a session once, up to 16 per session. The token may have been stolen: such a use is
 * allowed, but reported.
 */
export function createClientChangeDetector(
  report: (change: ClientChange, session: LiveSession, address: string) => void,
): NoteSessionUse {
  const originsOf = createLruCache<string, Set<string>>(MAX_SESSIONS)

  const isNew = (origins: Set<string>, origin: string): boolean => {
    if (origins.size >= MAX_ORIGINS || origins.has(origin)) return false
    origins.add(origin)
    return true
  }

  return (session, address, sentAgent) => {
    // A header can have 48 KiB, and each cached session keeps one.
    const isLong = sentAgent !== undefined && sentAgent.length > MAX_AGENT_LENGTH
    const agent = isLong ? hash('sha256', sentAgent) : sentAgent
    if (address === session.lastAddress && agent === session.lastAgent) return
    session.lastAddress = address
    session.lastAgent = agent
    let origins = originsOf.get(session.id)
    if (!origins) {
      origins = new Set([NETWORK + clientNetwork(session.ipAddress)])
      originsOf.set(session.id, origins)
    }
    // The user agent that opened a session is not stored: the first one seen is taken for it.
    const isFirstAgent = ![...origins].some((origin) => origin.startsWith(AGENT))
    if (isNew(origins, NETWORK + clientNetwork(address))) report('addressChanged', session, address)
    const isNewAgent = agent !== undefined && isNew(origins, AGENT + agent)
    if (isNewAgent && !isFirstAgent) report('agentChanged', session, address)
  }
}
