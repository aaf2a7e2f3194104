import {
  findPolicyRefusal,
  isLoginAllowed,
  isTrustedFor,
  type LoginMethod,
  NO_SIGNER,
  policyReferences,
  sessionClaims,
  sessionEnd,
  sessionIdleMs,
} from '@countersign/core'
import { stateOfSession } from '../../session/session-state.ts'
import type { StoredSession } from '../../store/api-session-row.ts'
import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import { hasAccess, type StoredIdentity } from '../../store/identity-row.ts'
import { isOidcSessionKey } from '../../store/oidc-session-key.ts'
import { quoted } from '../../token/quoted.ts'
import type { World } from './world.ts'

/** A stored session with the columns that a prediction needs. */
export interface PredictedSession extends StoredSession {
  readonly identityId: string
  readonly tokenDigest: string
  /** By which a token or a certificate named the identity; null when it did otherwise. */
  readonly externalId: string | null
}

/**
 * What a session can do, or why it ends. `unknown`: why it cannot be said whether its requests are accepted. `isLoginLost`: the identity could not open it
 * again either.
 */
export type SessionPrediction =
  | { readonly isLive: true; readonly missing: readonly string[]; readonly unknown?: string | undefined }
  | { readonly isLive: false; readonly reason: string; readonly text: string; readonly isLoginLost: boolean }

const LIVE_WITHOUT_FACTORS: SessionPrediction = { isLive: true, missing: [] }

/** Whether a session lives in a world, by the rules with which requests find their sessions. */
export function predictSession(
  world: World,
  session: PredictedSession,
  { now, idleMs }: { readonly now: number; readonly idleMs: number },
): SessionPrediction {
  const identity = world.findIdentity(session.identityId)
  if (!identity) return ended('unknown-identity', 'the identity is deleted')
  if (!hasAccess(identity, now))
    return ended('disabled', `the identity ${quoted(identity.name)} is disabled, or its access has expired`)
  if (session.externalId !== null && session.externalId !== identity.externalId) {
    return ended('unknown-identity', `the identity ${quoted(identity.name)} has another externalId`)
  }
  if (session.method === 'api-account') return LIVE_WITHOUT_FACTORS
  const lost = session.method === 'ext-jwt' ? predictSigner(world, session, identity) : undefined
  if (lost) return lost
  const policy = world.findPolicy(identity.authPolicyId)
  if (!policy) return ended('not-allowed', 'the authentication policy is deleted')
  const login = { method: session.method, signerId: session.signerId ?? '' } as LoginMethod
  if (!isLoginAllowed(policy, login)) {
    const reason = session.method === 'ext-jwt' && policy.primary.extJwt.allowed ? 'signer-not-allowed' : 'not-allowed'
    return ended(reason, `the policy ${quoted(policy.name)} does not allow the login that opened the session`)
  }
  const isOidc = isOidcSessionKey(session.tokenDigest)
  const idle = session.lastActivityAt + sessionIdleMs(policy, isOidc ? Number.POSITIVE_INFINITY : idleMs)
  if (Math.min(session.expiresAt, idle, session.endsAt, sessionEnd(policy, session, identity)) <= now) {
    return {
      ...ended('session-expired', `the policy ${quoted(policy.name)} ends the session earlier`),
      isLoginLost: false,
    }
  }
  const { missing } = stateOfSession(session, identity.verifiedTotpId, policy, now)
  if (policyReferences(policy).readsMore) {
    const unknown = `the rule of the policy ${quoted(policy.name)} reads the request, which is not kept: it decides about each request`
    return { isLive: true, missing, unknown }
  }
  return predictRule(world, session, identity, policy, now) ?? { isLive: true, missing }
}

/** Whether a session depends on nothing that differs between two worlds. */
export function isUntouchedSession(before: World, after: World, { identityId, signerId }: PredictedSession): boolean {
  const identity = before.findIdentity(identityId)
  if (!identity || identity !== after.findIdentity(identityId)) return false
  if (before.findPolicy(identity.authPolicyId) !== after.findPolicy(identity.authPolicyId)) return false
  return signerId === null || before.findSigner(signerId) === after.findSigner(signerId)
}

function predictRule(
  world: World,
  { signerId, ruleClaims, method }: PredictedSession,
  identity: StoredIdentity,
  policy: StoredAuthPolicy,
  now: number,
): SessionPrediction | undefined {
  const signer = (signerId === null ? undefined : world.findSigner(signerId)) ?? NO_SIGNER
  const facts = { ...sessionClaims(signerId, ruleClaims), signer, identity, request: undefined, nowMs: now }
  const reason = findPolicyRefusal(policy, facts)
  if (!reason) return undefined
  // A new login may have claims that the session does not have.
  const text = `the rule of the policy ${quoted(policy.name)} refuses the session`
  return { ...ended(reason, text), isLoginLost: method !== 'ext-jwt' }
}

function predictSigner(
  world: World,
  session: PredictedSession,
  identity: StoredIdentity,
): SessionPrediction | undefined {
  const { signerId, signerSessionRevision: revision } = session
  const signer = signerId === null ? undefined : world.findSigner(signerId)
  if (!signer) return ended('signer-unknown', 'the signer is deleted')
  if (!signer.enabled) return ended('signer-disabled', `the signer ${quoted(signer.name)} is disabled`)
  if (!isTrustedFor(signer.trust, identity)) {
    return ended('signer-not-trusted', `the signer ${quoted(signer.name)} is not trusted for an identity with rights`)
  }
  const { removedKeys } = signer
  const isKeyLeft =
    removedKeys.length === 0 || (session.keyThumbprint !== null && !removedKeys.includes(session.keyThumbprint))
  if (isKeyLeft && (revision === null || revision === signer.sessionRevision)) return undefined
  const text = `the change of the signer ${quoted(signer.name)} ends the sessions of its tokens`
  return { ...ended('signer-changed', text), isLoginLost: false }
}

function ended(reason: string, text: string) {
  return { isLive: false, reason, text, isLoginLost: true } as const
}
