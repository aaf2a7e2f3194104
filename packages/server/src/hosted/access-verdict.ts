import type { CredentialUse, RequiredClaim, Verdict, VerifiedToken } from '@countersign/core'
import type { AccountCredential } from '../store/actor-credential.ts'
import type { AccountAccess } from '../store/reads/account-client-reads.ts'
import type { AccessTokenRefusal } from '../token/decision-reason.ts'

/** The account of a verified token. */
export interface VerifiedAccount extends AccountAccess {
  readonly credential: AccountCredential
  /** When what the token opens must end, at the latest; undefined for the token of a client. */
  readonly endsAt?: number
  /** The thumbprint of the key that the token is bound to, and the proof of the request. */
  readonly boundKey?: string
  readonly proofUse?: CredentialUse
}

/** A condition of a federated account that a verified token does not meet. */
export interface UnmetCondition {
  readonly condition: RequiredClaim
  /** The token's value, truncated; null when the token has none. */
  readonly received: string | null
}

export interface RefusedAccess {
  readonly ok: false
  readonly reason: AccessTokenRefusal
  readonly verdict?: Verdict | undefined
  /** The provider record that verified the token. */
  readonly providerId?: string | undefined
  /** The account that the token names, or whose conditions it nearly meets. */
  readonly account?: (AccountAccess & { readonly name?: string }) | undefined
  /** The organization that the token concerns: that of its account or audience, else the only one that trusts the issuer. */
  readonly organizationId?: string | undefined
  /** The conditions of `account` that the token does not meet. */
  readonly unmet?: readonly UnmetCondition[]
  /** The names of the accounts whose conditions the token meets, where none of them is the most specific. */
  readonly matching?: readonly string[]
}

export type AccessVerdict = { readonly ok: true; readonly account: VerifiedAccount } | RefusedAccess

/** What a verified token that is bound to a key says about it. */
export function possessionOf({ boundKey, proofUse }: VerifiedToken): Pick<VerifiedAccount, 'boundKey' | 'proofUse'> {
  return { ...(boundKey !== undefined && { boundKey }), ...(proofUse && { proofUse }) }
}

/** The refusal of a token by a verdict, of the provider record that verified it. */
export function refusedBy(verdict: Verdict, providerId?: string): RefusedAccess {
  if (verdict.accepted) throw new TypeError('the token was accepted')
  return { ok: false, reason: verdict.reason, verdict, ...(providerId !== undefined && { providerId }) }
}

/** Why an account has no access at `now`; undefined when it has. */
export function findAccessRefusal(
  { isActive, expiresAt, suspension }: AccountAccess,
  now: number,
): 'organization-suspended' | 'account-disabled' | 'account-expired' | undefined {
  if (suspension) return 'organization-suspended'
  if (!isActive) return 'account-disabled'
  return expiresAt !== null && now >= expiresAt ? 'account-expired' : undefined
}
