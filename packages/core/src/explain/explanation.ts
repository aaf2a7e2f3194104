import type { SignerKeys } from '../key/signer-key.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'
import type { Check, Verdict } from '../token/verdict.ts'

/** The part of a signer that "explain" needs. */
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
  | 'requirePossession'
>

/** A similar signer with its keys and the token's verdict, made with `continueAfterRefusal`. */
export interface CheckedSigner {
  readonly signer: ExplainSigner
  readonly keys: SignerKeys
  /** Keys of the provider that are not used, by kid. */
  readonly unusedKeys?: ReadonlyMap<string, UnusedKey>
  readonly verdict: Verdict
}

/** Why a key is not used: it is not pinned, or its set waits for a confirmation. */
export type UnusedKey = 'not-pinned' | 'unconfirmed'

/** A signer's checks for an administrator. A disabled signer has the reason `signer-disabled`, even when all checks pass. */
export interface ExplainedSigner {
  readonly signerId: string
  readonly checks: readonly Check[]
  readonly reason: Verdict['reason'] | 'signer-disabled'
}

export interface Explanation {
  readonly signers: readonly ExplainedSigner[]
  /** One sentence each: what is wrong and what to do. They never contain the token or its signature. */
  readonly hints: readonly string[]
}
