import {
  AppError,
  DEFAULT_AUTH_POLICY_ID,
  enrollPolicyId,
  isAllowed,
  type PermissionHolder,
  type SignerSettings,
} from '@countersign/core'

/**
 * What an actor who is not an administrator may not do to a signer, whatever permission it holds for signers. Writing one that enrolls creates
 * identities with chosen attributes and policy, so it needs that permission too; and the claim that names the identity decides who is who
 * among those that log in already. Fails with UNAUTHORIZED.
 */
export function authorizeSignerChange(
  actor: PermissionHolder,
  current: SignerSettings | undefined,
  next: SignerSettings,
): void {
  if (enrolls(next) && !isAllowed(actor, { entity: 'identity', action: 'create' })) throw new AppError('UNAUTHORIZED')
  const renames =
    current && (current.claimsProperty !== next.claimsProperty || current.useExternalId !== next.useExternalId)
  if (renames && !actor.isAdmin) throw new AppError('UNAUTHORIZED')
}

function enrolls(signer: SignerSettings): boolean {
  return (
    signer.enrollToCertEnabled ||
    signer.enrollToTokenEnabled ||
    enrollPolicyId(signer) !== DEFAULT_AUTH_POLICY_ID ||
    signer.enrollAttributeClaimsSelector !== null
  )
}
