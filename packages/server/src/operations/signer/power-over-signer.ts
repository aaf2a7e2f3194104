import { AppError, DEFAULT_AUTH_POLICY_ID, enrollPolicyId, isAllowed, type SignerSettings } from '@countersign/core'
import type { ByWhom } from '../identity/touchable-identity.ts'

/**
 * What a caller who is no administrator may not do to a signer, whatever permission he holds for signers. To write one that
 * enrolls is to create identities with attributes and a policy of one's choosing, so it needs that permission too; and which
 * claim names somebody decides who is who among those that the signer lets in already. Fails with UNAUTHORIZED.
 */
export function checkPowerOverSigner(
  { byAdmin, byPermissions = [] }: ByWhom,
  current: SignerSettings | undefined,
  next: SignerSettings,
): void {
  const holder = { isAdmin: byAdmin, permissions: byPermissions }
  if (enrolls(next) && !isAllowed(holder, { entity: 'identity', action: 'create' })) throw new AppError('UNAUTHORIZED')
  const renames =
    current && (current.claimsProperty !== next.claimsProperty || current.useExternalId !== next.useExternalId)
  if (renames && !byAdmin) throw new AppError('UNAUTHORIZED')
}

function enrolls(signer: SignerSettings): boolean {
  return (
    signer.enrollToCertEnabled ||
    signer.enrollToTokenEnabled ||
    enrollPolicyId(signer) !== DEFAULT_AUTH_POLICY_ID ||
    signer.enrollAttributeClaimsSelector !== null
  )
}
