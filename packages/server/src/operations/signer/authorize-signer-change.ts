import {
  AppError,
  DEFAULT_AUTH_POLICY_ID,
  enrollPolicyId,
  isAllowed,
  type PermissionHolder,
  type SignerSettings,
} from '@countersign/core'

/**
 * Checks what the permission for signers does not cover. A signer that enrolls creates identities with chosen attributes and policy, so writing
 * it also requires the permission to create identities. Only administrators may change which claim identifies an identity, because that maps
 * existing logins to other identities. Fails with UNAUTHORIZED.
 */
export function authorizeSignerChange(
  actor: PermissionHolder,
  current: SignerSettings | undefined,
  next: SignerSettings,
): void {
  if (enrolls(next) && !isAllowed(actor, { entity: 'identity', action: 'create' })) throw new AppError('UNAUTHORIZED')
  const changesClaim =
    current && (current.claimsProperty !== next.claimsProperty || current.useExternalId !== next.useExternalId)
  if (changesClaim && !actor.isAdmin) throw new AppError('UNAUTHORIZED')
}

function enrolls(signer: SignerSettings): boolean {
  return (
    signer.enrollToCertEnabled ||
    signer.enrollToTokenEnabled ||
    enrollPolicyId(signer) !== DEFAULT_AUTH_POLICY_ID ||
    signer.enrollAttributeClaimsSelector !== null
  )
}
