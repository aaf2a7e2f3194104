import type { SessionTokenClaims } from '@countersign/core'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { SessionCredential } from '../../store/actor-credential.ts'
import type { OperationMeta } from '../../store/operation-meta.ts'
import type { Call } from './call.ts'
import { sessionOf } from './route.ts'

/** The meta of an operation that a call runs. The actor is the identity of the session. */
export function operationMeta(
  call: Pick<Call, 'session' | 'source'> & Partial<Pick<Call, 'ifMatch' | 'query' | 'secondSigner' | 'accessToken'>>,
  now: number,
): OperationMeta {
  const session = sessionOf(call)
  const { id, name } = session.identity
  const { ifMatch, query } = call
  return {
    actorId: id,
    credential: sessionCredential(session, call),
    now,
    source: { authorName: name, ...call.source },
    ...(ifMatch !== undefined && { ifMatch }),
    ...(query?.get('confirmLockOut') === 'true' && { confirmsLockOut: true }),
  }
}

/** For a change that can take long. Those of callers with few rights run one at a time, so that they do not keep the store busy. */
export function slowOperationMeta(call: Parameters<typeof operationMeta>[0], now: number): OperationMeta {
  return { ...operationMeta(call, now), isLarge: !sessionOf(call).identity.isAdmin }
}

interface CredentialParts {
  /** The signer that verified the second token of the request. */
  readonly secondSigner?: SessionCredential['secondSigner'] | undefined
  readonly accessToken?: Pick<SessionTokenClaims, 'jti'> | undefined
}

export function sessionCredential(
  { id }: LiveSession,
  { secondSigner = null, accessToken }: CredentialParts = {},
): SessionCredential {
  return { sessionId: id, secondSigner, ...(accessToken && { tokenId: accessToken.jti }) }
}
