import { BoundedCache, clientNetwork } from '@countersign/core'
import type { LiveSession } from './live-sessions.ts'

/** What of a session's use is new: where it comes from, or which program sends it. */
export type SessionMove = 'addressChanged' | 'agentChanged'

/** Notes one use of a session. A token that turns up elsewhere may have been copied: that is allowed, and told. */
export type NoteUse = (session: LiveSession, address: string, agent: string | undefined) => void

const MAX_SESSIONS = 20_000
const MAX_PLACES = 16
const MAX_AGENT_LENGTH = 256
const AGENT = 'by '

/** Tells each new network and each new program of a session once, and no more than a few of one session. */
export function createSessionMoves(tell: (move: SessionMove, session: LiveSession, address: string) => void): NoteUse {
  const placesOf = new BoundedCache<string, Set<string>>(MAX_SESSIONS)

  const isNew = (places: Set<string>, place: string): boolean => {
    if (places.size >= MAX_PLACES || places.has(place)) return false
    places.add(place)
    return true
  }

  return (session, address, agent) => {
    if (address === session.lastAddress && agent === session.lastAgent) return
    session.lastAddress = address
    session.lastAgent = agent
    let places = placesOf.get(session.id)
    if (!places) {
      places = new Set([`at ${clientNetwork(session.ipAddress)}`])
      placesOf.set(session.id, places)
    }
    // Which program opened a session is not known: the first that gives its name is taken for it.
    const isFirstAgent = ![...places].some((place) => place.startsWith(AGENT))
    if (isNew(places, `at ${clientNetwork(address)}`)) tell('addressChanged', session, address)
    const isNewAgent = agent !== undefined && isNew(places, AGENT + agent.slice(0, MAX_AGENT_LENGTH))
    if (isNewAgent && !isFirstAgent) tell('agentChanged', session, address)
  }
}
