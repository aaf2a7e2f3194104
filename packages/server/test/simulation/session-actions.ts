import { endOwnSession, endSession } from '../../src/operations/api-session/end-session.ts'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { sessionTokenDigest } from '../../src/session/session-token.ts'
import { type CastSession, newName } from './cast.ts'
import { endSessions, type Stage, send, use } from './client.ts'
import { SESSION_MS, type SimulatedNode } from './simulated-node.ts'

type Action = (stage: Stage, node: SimulatedNode) => Promise<void>

/** Uses are of the newest sessions, so that each is used often. */
const NEWEST = 6

export const logIn: Action = async (stage, node) => {
  const { random, cast, keptWrites } = stage
  const identity = random.find(cast.identities)
  if (!identity) return
  const name = newName(cast, 'session')
  const session: CastSession = { name, id: name, token: `token of ${name}`, identity, isEnding: false }
  const { outcome } = await send(stage, node, `log in ${identity.name} as ${name}`, ({ store, clock }, meta) => {
    const endsAt = clock.now() + SESSION_MS
    const owner = { identityId: identity.id, method: 'password', authenticatorId: identity.authenticatorId } as const
    const life = { expiresAt: endsAt, endsAt, maxPerIdentity: 100, configTypes: [], ipAddress: '192.0.2.1' }
    const client = { envInfo: undefined, sdkInfo: undefined, comparedWith: 'x' }
    const args = { id: name, tokenDigest: sessionTokenDigest(session.token), ...owner, ...life, ...client }
    return store.run(createApiSession, args, meta(identity.id))
  })
  if (outcome !== 'acknowledged') return
  cast.sessions.push(session)
  const isExcused = () => session.isEnding || identity.isEnding
  keptWrites.expect({ write: `log in as ${name}`, table: 'api_sessions', id: name, isPresent: true, isExcused })
}

export const useAny: Action = async (stage) => {
  const node = stage.random.find(stage.nodes)
  const session = stage.random.find(stage.cast.sessions.slice(-NEWEST))
  if (node && session) await use(stage, node, session)
}

/** Ends a session: by its owner, or by an administrator. */
const end = async (stage: Stage, node: SimulatedNode, how: 'log out' | 'revoke'): Promise<void> => {
  const { random, cast, keptWrites } = stage
  const session = random.find(cast.sessions.slice(-NEWEST))
  if (!session) return
  const { id, name, identity } = session
  session.isEnding = true
  await endSessions(stage, [session], async () => {
    const { outcome } = await send(stage, node, `${how} ${name}`, async ({ store }, meta) => {
      if (how === 'log out') await store.run(endOwnSession, { id }, meta(identity.id))
      else await store.run(endSession, { id }, meta())
    })
    if (outcome === 'acknowledged')
      keptWrites.expect({ write: `${how} ${name}`, table: 'api_sessions', id, isPresent: false })
  })
}

export const logOut: Action = (stage, node) => end(stage, node, 'log out')
export const revoke: Action = (stage, node) => end(stage, node, 'revoke')
