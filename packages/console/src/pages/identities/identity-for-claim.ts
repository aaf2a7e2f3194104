import { DEFAULT_AUTH_POLICY_ID } from '@countersign/contract/identity'
import type { AuthPolicy, Signer } from '@countersign/sdk'
import type { Decision } from '../../api/wire.ts'

/** An identity cannot have a longer external id. */
const MAX_EXTERNAL_ID = 512

/** Refusals of a credential that a signer or CA accepted, whose claim names no identity. */
const UNKNOWN_REASONS: readonly string[] = ['unknown-identity', 'certificate-unnamed']

/** Whether an identity with the claim of a decision could be created. */
export function canCreateFor({ reason, claimedIdentity }: Pick<Decision, 'reason' | 'claimedIdentity'>): boolean {
  return UNKNOWN_REASONS.includes(reason) && !!claimedIdentity && claimedIdentity.length <= MAX_EXTERNAL_ID
}

/** The first values of the form. */
export interface IdentityStart {
  readonly name: string
  readonly externalId: string
  /** Empty for the default policy. */
  readonly authPolicyId: string
  readonly note?: string
}

/**
 * An identity that the refused credential would log in: its external id is the claim, its policy allows the method and the signer. Of several policies
 * the signer's own for enrollments is preferred, then the default one.
 */
export function identityForClaim(
  { claimedIdentity, method, signerId }: Pick<Decision, 'claimedIdentity' | 'method' | 'signerId'>,
  signer: Pick<Signer, 'name' | 'useExternalId' | 'enrollAuthPolicyId'> | undefined,
  policies: readonly AuthPolicy[],
): IdentityStart {
  const claim = claimedIdentity ?? ''
  const admits = method === 'cert' ? allowsCertificates : (policy: AuthPolicy) => allowsSigner(policy, signerId)
  const admitting = policies.filter(admits).map(({ id }) => id)
  const preferred = [signer?.enrollAuthPolicyId, DEFAULT_AUTH_POLICY_ID, ...admitting]
  const chosen = preferred.find((id) => typeof id === 'string' && admitting.includes(id))
  const note = noteFor(signer, chosen !== undefined)
  return {
    name: claim,
    externalId: signer?.useExternalId === false ? '' : claim,
    authPolicyId: chosen ?? '',
    ...(note && { note }),
  }
}

function allowsCertificates({ primary }: AuthPolicy): boolean {
  return primary.cert.allowed
}

function allowsSigner({ primary: { extJwt } }: AuthPolicy, signerId: string | null): boolean {
  const signers = extJwt.allowedSigners ?? []
  return extJwt.allowed && (signers.length === 0 || (signerId !== null && signers.includes(signerId)))
}

function noteFor(signer: Pick<Signer, 'name' | 'useExternalId'> | undefined, isAdmitted: boolean): string | undefined {
  if (signer?.useExternalId === false) {
    return `The signer “${signer.name}” compares the claim with the id of an identity, which the controller chooses. Turn on “use external id” at the signer, and enter the claim as external id here.`
  }
  return isAdmitted ? undefined : 'No policy allows this login yet: change one, or create one, and choose it here.'
}
