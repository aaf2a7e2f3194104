import type { ExplainedSigner } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, isExpired, type StoredIdentity } from '../store/identity-row.ts'

/** Explains one login: the signers' verdicts, the identity, the policy, and what is missing, in the order of the checks. */
export interface LoginExplanation {
  readonly signers: readonly ExplainedSigner[]
  /** The identity that the credential names. Not verified unless a signer or CA accepts the credential. */
  readonly claimedIdentity?: string | null
  readonly identity: ExplainedIdentity | null
  readonly policy: ExplainedPolicy | null
  /** Empty when the login is allowed. */
  readonly missing: readonly string[]
  readonly hints: readonly string[]
}

export interface ExplainedIdentity {
  readonly id: string
  readonly name: string
  readonly disabled: boolean
  /** Set when its `expiresAt` has passed. */
  readonly expired?: true
}

export interface ExplainedPolicy {
  readonly id: string
  readonly name: string
  readonly allowsExtJwt: boolean
  readonly allowsPassword: boolean
  readonly allowsCert: boolean
  readonly allowsPasskey: boolean
  readonly requiresTotp: boolean
  readonly requiresPasskey: boolean
  /** Id of the signer whose token is required as second factor. */
  readonly requiresExtJwtSigner: string | null
}

export function explainedIdentity(identity: StoredIdentity | undefined, now: number): ExplainedIdentity | null {
  if (!identity) return null
  const { id, name } = identity
  return { id, name, disabled: isDisabled(identity, now), ...(isExpired(identity, now) && { expired: true }) }
}

export function explainedPolicy(policy: StoredAuthPolicy | undefined): ExplainedPolicy | null {
  if (!policy) return null
  const { id, name, primary, secondary } = policy
  return {
    id,
    name,
    allowsExtJwt: primary.extJwt.allowed,
    allowsPassword: primary.updb.allowed,
    allowsCert: primary.cert.allowed,
    allowsPasskey: primary.passkey.allowed,
    requiresTotp: secondary.requireTotp,
    requiresPasskey: secondary.requirePasskey,
    requiresExtJwtSigner: secondary.requireExtJwtSigner,
  }
}
