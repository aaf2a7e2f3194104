import type { Authenticate } from '@countersign/contract'
import { newIdInOrder } from '@countersign/core'
import { apiSessionEvent } from '../../events/api-session-event.ts'
import type { EventHub } from '../../events/event-hub.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { SessionOrigin } from '../../session/session-origin.ts'
import { newSessionToken, sessionTokenDigest } from '../../session/session-token.ts'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import type { Store } from '../../store/store.ts'

export interface SessionOptions {
  readonly store: Store
  readonly clock: Clock
  readonly events: Pick<EventHub, 'publish'>
  readonly idleMs: number
  readonly maxMs: number
  readonly maxPerIdentity: number
}

/** Somebody who has shown who he is, and how. */
export interface Authenticated extends SessionOrigin {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  readonly authenticatorId: string
  readonly body: Authenticate
  readonly ipAddress: string
}

/** Opens a session; when this resolves it is durable. Fails with INVALID_AUTH when the identity has gone meanwhile. */
export async function startSession(
  { store, clock, events, idleMs, maxMs, maxPerIdentity }: SessionOptions,
  { identity, policy, way, certificate, authenticatorId, body, ipAddress }: Authenticated,
): Promise<{ token: string; session: LiveSession }> {
  const now = clock.now()
  const token = newSessionToken(now)
  const id = newIdInOrder(now)
  const endsAt = now + maxMs
  const expiresAt = Math.min(now + idleMs, endsAt)
  const configTypes = knownConfigTypes(body.configTypes ?? [])
  await store.write(
    'apiSession.create',
    {
      id,
      tokenDigest: sessionTokenDigest(token),
      identityId: identity.id,
      authenticatorId,
      ipAddress,
      configTypes,
      expiresAt,
      endsAt,
      envInfo: body.envInfo as Record<string, string> | undefined,
      sdkInfo: body.sdkInfo as Record<string, string> | undefined,
      maxPerIdentity,
    },
    { actorId: identity.id, now },
  )
  events.publish(apiSessionEvent('created', { id, identityId: identity.id, ipAddress }))
  const session = {
    id,
    identity,
    policy,
    way,
    certificate,
    authenticatorId,
    ipAddress,
    configTypes,
    createdAt: now,
    updatedAt: now,
    lastActivityAt: now,
    expiresAt,
    endsAt,
    passedTotpId: null,
  }
  return { token, session }
}

const ALL_CONFIG_TYPES = 'all'

/** Unknown types are dropped, and nothing is configured here, so that only the word for all of them remains. */
function knownConfigTypes(wanted: readonly string[]): readonly string[] {
  return wanted.includes(ALL_CONFIG_TYPES) ? [ALL_CONFIG_TYPES] : []
}
