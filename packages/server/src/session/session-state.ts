import { findStepUp, isCodeMissing, isLoginAllowed, isPasskeyMissing, type LoginMethod } from '@countersign/core'
import type { StoredSession } from '../store/api-session-row.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'

/** What a session can do: `complete` all that its identity can, `partial` only adding a factor, `refused` nothing: its policy no longer allows the login. */
export type SessionState = 'complete' | 'partial' | 'refused'

interface ShownState {
  readonly state: SessionState
  /** What a partial session lacks. */
  readonly missing: readonly string[]
}

/**
 * The state of a stored session under the current policy of its identity. A second token comes with each request: a session counts as complete once
 * a request had one.
 */
export function stateOfSession(
  session: Pick<
    StoredSession,
    | 'method'
    | 'signerId'
    | 'passedTotpId'
    | 'passedPasskeyId'
    | 'createdAt'
    | 'updatedAt'
    | 'acr'
    | 'amr'
    | 'authenticatedAt'
    | 'ruleClaims'
  >,
  verifiedTotpId: string | null,
  policy: StoredAuthPolicy,
  now: number,
): ShownState {
  const { method, signerId, passedTotpId, createdAt, updatedAt } = session
  if (!isLoginAllowed(policy, loginOf(method, signerId))) return { state: 'refused', missing: [] }
  const code = isCodeMissing(policy, { verifiedTotpId, passedTotpId })
  const needsToken = policy.secondary.requireExtJwtSigner !== null && updatedAt === createdAt
  const stepUp = method === 'ext-jwt' ? findStepUp(policy.primary.extJwt, session, now) : undefined
  const missing = [
    ...(code ? [verifiedTotpId === null ? 'totp-enrollment' : 'totp'] : []),
    ...(isPasskeyMissing(policy, session) ? ['passkey'] : []),
    ...(needsToken ? ['ext-jwt'] : []),
    ...(stepUp === undefined ? [] : [stepUp]),
  ]
  return { state: missing.length === 0 ? 'complete' : 'partial', missing }
}

function loginOf(method: StoredSession['method'], signerId: string | null): LoginMethod {
  return { method, signerId: signerId ?? '', accountId: '' } as LoginMethod
}
