import {
  AppError,
  DEFAULT_AUTH_POLICY_ID,
  enrollPolicyId,
  isAllowed,
  type PermissionHolder,
  type SignerSettings,
} from '@countersign/core'
import type { StoredSigner } from '../../store/signer-row.ts'

/**
 * Checks what the permission for signers does not cover. A signer that enrolls creates identities with chosen attributes and policy, so writing
 * it also requires the permission to create identities. One that keeps names or attributes as the provider has them changes identities, so writing it
 * requires the permission to update them; ending that too, because the attributes would stay when the provider takes them away. Only administrators may change which claim identifies an identity, because that maps
 * existing logins to other identities, and enable a trusted signer, which one of them may have disabled because its provider is compromised;
 * others cannot take the trust from a disabled signer either, to enable it then. Which identity a SCIM user is, and which attributes groups give, is
 * changed by administrators only too: it applies to the users and groups that there are. Fails with UNAUTHORIZED.
 */
export function authorizeSignerChange(
  actor: PermissionHolder,
  current: StoredSigner | undefined,
  next: SignerSettings,
  { isSecurityWrite }: { readonly isSecurityWrite: boolean },
): void {
  if (enrolls(next) && !isAllowed(actor, { entity: 'identity', action: 'create' })) throw new AppError('UNAUTHORIZED')
  const isSyncing = syncs(next) || (current !== undefined && syncs(current))
  if (isSyncing && !isAllowed(actor, { entity: 'identity', action: 'update' })) throw new AppError('UNAUTHORIZED')
  if (
    current &&
    !actor.isAdmin &&
    (changesClaim(current, next) || changesScim(current, next) || revivesTrusted(current, next, isSecurityWrite))
  ) {
    throw new AppError('UNAUTHORIZED')
  }
}

function changesClaim(current: SignerSettings, next: SignerSettings): boolean {
  return current.claimsProperty !== next.claimsProperty || current.useExternalId !== next.useExternalId
}

function changesScim(current: SignerSettings, next: SignerSettings): boolean {
  return (['scimIdentityAttribute', 'scimGroupAttributeTemplate'] as const).some((name) => current[name] !== next[name])
}

function revivesTrusted({ enabled, trust }: StoredSigner, next: SignerSettings, isSecurityWrite: boolean): boolean {
  return trust.isTrusted && !enabled && (next.enabled || isSecurityWrite)
}

function enrolls(signer: SignerSettings): boolean {
  return (
    signer.enrollToCertEnabled ||
    signer.enrollToTokenEnabled ||
    enrollPolicyId(signer) !== DEFAULT_AUTH_POLICY_ID ||
    signer.enrollAttributeClaimsSelector !== null
  )
}

function syncs({ attributeSync, nameSync }: SignerSettings): boolean {
  return attributeSync === 'login' || nameSync
}
