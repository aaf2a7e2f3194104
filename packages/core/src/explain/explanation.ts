import type { SignerKeys } from '../key/signer-key.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'
import type { Check, Verdict } from '../token/verdict.ts'

/** What "explain" needs to know of a signer. */
export type ExplainSigner = { readonly id: string } & Pick<
  SignerSettings,
  | 'name'
  | 'enabled'
  | 'issuer'
  | 'audience'
  | 'additionalAudiences'
  | 'clientId'
  | 'targetToken'
  | 'claimsProperty'
  | 'enrollNameClaimsSelector'
  | 'enrollAttributeClaimsSelector'
  | 'clockSkewSeconds'
  | 'maxTokenAgeSeconds'
  | 'requiredClaims'
>

/** A signer that fits or nearly fits, with the keys it has and what the verify function found, asked to go on after a refusal. */
export interface JudgedSigner {
  readonly signer: ExplainSigner
  readonly keys: SignerKeys
  readonly verdict: Verdict
}

/** A signer as an administrator sees it; one that is disabled takes no token, whatever its checks say. */
export interface ExplainedSigner {
  readonly signerId: string
  readonly checks: readonly Check[]
  readonly reason: Verdict['reason'] | 'signer-disabled'
}

export interface Explanation {
  readonly signers: readonly ExplainedSigner[]
  /** One sentence each: what is wrong and what to do. Never the token, never its signature. */
  readonly hints: readonly string[]
}
